package parquet

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// conversion turns stored values of a leaf into the storage of a vector.
type conversion struct {
	typ types.Type
	// width is the size of a stored value; 0 = byte arrays with offsets; bitPacked.
	width int
	// run fills out's storage with the values [at, at+n) of a page. Where the layouts are
	// equal it is the page's own memory; else s's.
	run func(data []byte, offs []uint32, at, n int, s *scratch, out *vec.Vector) error
}

const bitPacked = -1

// scratch is memory for converted values.
type scratch struct {
	bools []uint8
	i64   []int64
	f64   []float64
	i128  []types.Int128
	str   []vec.StrRef
	buf   []byte
}

type number interface {
	int32 | int64 | uint32 | float32 | float64 | uint64
}

// view reads a page's bytes as numbers. Pages are aligned by the library, and all our
// targets are little-endian.
func view[T number](data []byte, at, n int) []T {
	var x T
	size := int(unsafe.Sizeof(x))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/size)[at : at+n]
}

func boolean(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.bools = sized(s.bools, n)
	for i := range s.bools {
		s.bools[i] = data[(at+i)>>3] >> (uint(at+i) & 7) & 1
	}
	out.Bool = s.bools
	return nil
}

func long(data []byte, _ []uint32, at, n int, _ *scratch, out *vec.Vector) error {
	out.I64 = view[int64](data, at, n)
	return nil
}

func double(data []byte, _ []uint32, at, n int, _ *scratch, out *vec.Vector) error {
	out.F64 = view[float64](data, at, n)
	return nil
}

// widen converts numbers to 64-bit integers.
func widen[T int32 | uint32](data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.i64 = sized(s.i64, n)
	for i, x := range view[T](data, at, n) {
		s.i64[i] = int64(x)
	}
	out.I64 = s.i64
	return nil
}

// toFloat converts numbers to DOUBLE.
func toFloat[T int32 | uint32 | float32](data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.f64 = sized(s.f64, n)
	for i, x := range view[T](data, at, n) {
		s.f64[i] = float64(x)
	}
	out.F64 = s.f64
	return nil
}

var errRange = errors.New("value out of range")

// scaled multiplies 64-bit integers: timestamps in ms, decimals of a smaller scale.
func scaled(by int64) func([]byte, []uint32, int, int, *scratch, *vec.Vector) error {
	most := math.MaxInt64 / by
	return func(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
		s.i64 = sized(s.i64, n)
		for i, x := range view[int64](data, at, n) {
			if x > most || x < -most {
				return errRange
			}
			s.i64[i] = x * by
		}
		out.I64 = s.i64
		return nil
	}
}

// nanos cuts ns to µs, towards the past as Spark does.
func nanos(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.i64 = sized(s.i64, n)
	for i, x := range view[int64](data, at, n) {
		q := x / 1000
		if x%1000 < 0 {
			q--
		}
		s.i64[i] = q
	}
	out.I64 = s.i64
	return nil
}

// days turns dates into midnights.
func days(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.i64 = sized(s.i64, n)
	for i, x := range view[int32](data, at, n) {
		s.i64[i] = int64(x) * 86_400_000_000
	}
	out.I64 = s.i64
	return nil
}

// int96 reads the timestamps of old Spark, Hive and Impala files: ns of the day, then
// the Julian day.
func int96(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	const unixEpoch = 2440588
	s.i64 = sized(s.i64, n)
	for i := range s.i64 {
		b := data[12*(at+i):]
		ns, day := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:]))
		s.i64[i] = (day-unixEpoch)*86_400_000_000 + ns/1000
	}
	out.I64 = s.i64
	return nil
}

func byteArrays(data []byte, offs []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.str = sized(s.str, n)
	offs = offs[at : at+n+1]
	from := offs[0]
	for i, to := range offs[1:] {
		s.str[i] = vec.StrRef{Off: from, Len: to - from}
		from = to
	}
	out.Str, out.Buf = s.str, data
	return nil
}

// fixed reads BYTES of a fixed size.
func fixed(size int) func([]byte, []uint32, int, int, *scratch, *vec.Vector) error {
	return func(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
		s.str = sized(s.str, n)
		for i := range s.str {
			s.str[i] = vec.StrRef{Off: uint32(size * (at + i)), Len: uint32(size)}
		}
		out.Str, out.Buf = s.str, data
		return nil
	}
}

// uuids writes UUIDs as text.
func uuids(data []byte, _ []uint32, at, n int, s *scratch, out *vec.Vector) error {
	s.str, s.buf = sized(s.str, n), s.buf[:0]
	for i := range s.str {
		s.str[i] = vec.StrRef{Off: uint32(len(s.buf)), Len: 36}
		s.buf = types.AppendUUID(s.buf, data[16*(at+i):][:16])
	}
	out.Str, out.Buf = s.str, s.buf
	return nil
}

// documents checks JSON and brings it into its canonical form.
func documents(data []byte, offs []uint32, at, n int, s *scratch, out *vec.Vector) (err error) {
	s.str, s.buf = sized(s.str, n), s.buf[:0]
	for i := range s.str {
		off := len(s.buf)
		if s.buf, err = types.AppendCanonicalJSON(s.buf, data[offs[at+i]:offs[at+i+1]]); err != nil {
			return err
		}
		s.str[i] = vec.StrRef{Off: uint32(off), Len: uint32(len(s.buf) - off)}
	}
	out.Str, out.Buf = s.str, s.buf
	return nil
}

// clock reads times of day, in ms, µs or ns, of which what is less than a µs is cut.
func clock(kind parquet.Kind, unit int64) func([]byte, []uint32, int, int, *scratch, *vec.Vector) error {
	read := long
	switch {
	case kind == parquet.Int32:
		read = widen[int32]
	case unit == 1e9:
		read = nanos
	}
	return func(data []byte, offs []uint32, at, n int, s *scratch, out *vec.Vector) error {
		if err := read(data, offs, at, n, s, out); err != nil {
			return err
		}
		by := int64(1)
		if unit == 1e3 {
			by = 1000
		}
		s.i64 = sized(s.i64, n)
		for i, x := range out.I64 {
			if x < 0 || x >= types.MicrosPerDay/by {
				return errRange
			}
			s.i64[i] = x * by
		}
		out.I64 = s.i64
		return nil
	}
}

// decimals reads unscaled integers through get, of value i of a page, and multiplies
// them by 10^up into a DECIMAL of typ.
func decimals(typ types.Type, up int, get func(data []byte, offs []uint32, i int) (types.Int128, bool)) func([]byte, []uint32, int, int, *scratch, *vec.Vector) error {
	narrow := typ.Phys() == types.PhysInt64
	return func(data []byte, offs []uint32, at, n int, s *scratch, out *vec.Vector) error {
		if narrow {
			s.i64 = sized(s.i64, n)
			out.I64 = s.i64
		} else {
			s.i128 = sized(s.i128, n)
			out.I128 = s.i128
		}
		for i := range n {
			x, ok := get(data, offs, at+i)
			if ok && up > 0 {
				x, ok = times(x, up)
			}
			if !ok || narrow && x.Hi != int64(x.Lo)>>63 {
				return errRange
			}
			if narrow {
				s.i64[i] = int64(x.Lo)
			} else {
				s.i128[i] = x
			}
		}
		return nil
	}
}

// times is x·10^n.
func times(x types.Int128, n int) (types.Int128, bool) {
	negative := x.Hi < 0
	hi, lo := uint64(x.Hi), x.Lo
	if negative {
		hi, lo = negate(hi, lo)
	}
	for range n {
		c, l := bits.Mul64(lo, 10)
		over, h := bits.Mul64(hi, 10)
		h, carry := bits.Add64(h, c, 0)
		if over|carry != 0 || h>>63 != 0 {
			return x, false
		}
		hi, lo = h, l
	}
	if negative {
		hi, lo = negate(hi, lo)
	}
	return types.Int128{Hi: int64(hi), Lo: lo}, true
}

func negate(hi, lo uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return hi, lo
}

func int32At(data []byte, _ []uint32, i int) (types.Int128, bool) {
	return types.Int128From(int64(int32(binary.LittleEndian.Uint32(data[4*i:])))), true
}

func uint32At(data []byte, _ []uint32, i int) (types.Int128, bool) {
	return types.Int128From(int64(binary.LittleEndian.Uint32(data[4*i:]))), true
}

func int64At(data []byte, _ []uint32, i int) (types.Int128, bool) {
	return types.Int128From(int64(binary.LittleEndian.Uint64(data[8*i:]))), true
}

func uint64At(data []byte, _ []uint32, i int) (types.Int128, bool) {
	return types.Int128{Lo: binary.LittleEndian.Uint64(data[8*i:])}, true
}

func fixedAt(size int) func([]byte, []uint32, int) (types.Int128, bool) {
	return func(data []byte, _ []uint32, i int) (types.Int128, bool) {
		return bigEndian(data[size*i : size*(i+1)])
	}
}

func bytesAt(data []byte, offs []uint32, i int) (types.Int128, bool) {
	return bigEndian(data[offs[i]:offs[i+1]])
}

// bigEndian reads a two's complement number of any length.
func bigEndian(b []byte) (types.Int128, bool) {
	var fill byte
	if len(b) > 0 && b[0]&0x80 != 0 {
		fill = 0xff
	}
	for len(b) > 16 {
		if b[0] != fill || b[1]&0x80 != fill&0x80 {
			return types.Int128{}, false
		}
		b = b[1:]
	}
	var full [16]byte
	for i := range full {
		full[i] = fill
	}
	copy(full[16-len(b):], b)
	return types.Int128{Hi: int64(binary.BigEndian.Uint64(full[:])), Lo: binary.BigEndian.Uint64(full[8:])}, true
}
