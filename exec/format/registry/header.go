package registry

import "encoding/binary"

// HeaderSize is how many bytes stand before a message: a zero and the id.
const HeaderSize = 5

// AppendHeader appends the header of messages with a schema.
func AppendHeader(dst []byte, id int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, 0), uint32(id))
}

// Header reads the id before a message; reason is why there is none.
func Header(message []byte) (id int, reason string) {
	switch {
	case len(message) == 0:
		return 0, "an empty message"
	case len(message) < HeaderSize || message[0] != 0:
		return 0, "it does not begin with the header of a schema registry (a zero byte and the number of a schema)"
	}
	return int(binary.BigEndian.Uint32(message[1:])), ""
}
