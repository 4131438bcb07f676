package scalar

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// ciphers encrypt with AES and sign with HMAC, in the modes and layouts of Spark: a
// random initialisation vector stands before what it encrypted.
func ciphers() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "aes_encrypt", Group: "Hash", Volatility: fn.Volatile, Syntax: []string{"aes_encrypt(a, key [, mode [, padding [, iv [, aad]]]])"},
			Doc:     "Encrypts with AES and a key of 16, 24 or 32 bytes; mode GCM (the default), CBC or ECB, padding DEFAULT, NONE (GCM) or PKCS (CBC, ECB). A random initialisation vector stands before the result of GCM (12 bytes) and CBC (16) unless one is given. ECB shows equal blocks and is for data that others wrote.",
			Resolve: optional(2, blob, tryTexts(blob, "aes_encrypt", encryptRow), blob, blob, text, text, blob, blob),
		},
		{
			Name: "aes_decrypt", Group: "Hash", Syntax: []string{"aes_decrypt(bytes, key [, mode [, padding [, aad]]])"},
			Doc:      "Undoes aes_encrypt; an error where key or data are wrong.",
			Examples: []fn.Example{{SQL: "CAST(aes_decrypt(unbase64('3lmwu+Mw0H3fi5NDvcu9lg=='), '1234567890abcdef', 'ECB', 'PKCS') AS STRING)", Want: "Spark SQL"}, {SQL: "aes_decrypt(NULL, '1234567890abcdef')", Want: "NULL"}},
			Resolve:  optional(2, blob, tryTexts(blob, "aes_decrypt", decryptRow), blob, blob, text, text, blob),
		},
		{
			Name: "try_aes_decrypt", Group: "Hash", Syntax: []string{"try_aes_decrypt(bytes, key [, mode [, padding [, aad]]])"},
			Doc:      "Is aes_decrypt, and NULL where that is an error.",
			Examples: []fn.Example{{SQL: "try_aes_decrypt(unhex('00'), '1234567890abcdef')", Want: "NULL"}},
			Resolve: optional(2, blob, bytesOf(blob, func(dst []byte, args []*vec.Vector, r int) []byte {
				res, _, _ := decryptRow(dst, args, r)
				return res
			}), blob, blob, text, text, blob),
		},
		{
			Name: "hmac", Group: "Hash", Syntax: []string{"hmac(key, message [, algorithm])"},
			Doc:      "Is the code, in BYTES, by which who knows the key recognises the message; SHA-256 by default, or SHA-1, SHA-224, SHA-384, SHA-512, MD5.",
			Examples: []fn.Example{{SQL: "left(hex(hmac('key', 'message')), 8)", Want: "6E9EF29B"}, {SQL: "hmac(NULL, 'message')", Want: "NULL"}},
			Resolve:  optional(2, blob, tryTexts(blob, "hmac", hmacRow), blob, blob, text),
		},
	}
}

// blockMode is a mode of AES with its vector's length.
type blockMode struct {
	name string
	iv   int
}

// modeOf reads mode and padding, which stand behind key and data.
func modeOf(args []*vec.Vector, r int) (m blockMode, msg string) {
	name, padding := "GCM", "DEFAULT"
	if len(args) > 2 {
		name = strings.ToUpper(args[2].Text(r))
	}
	if len(args) > 3 {
		padding = strings.ToUpper(args[3].Text(r))
	}
	want := "PKCS"
	switch name {
	case "GCM":
		m, want = blockMode{name, 12}, "NONE"
	case "CBC":
		m = blockMode{name, aes.BlockSize}
	case "ECB":
		m = blockMode{name, 0}
	default:
		return m, "unknown mode " + fn.Quote(name) + "; there are GCM, CBC and ECB"
	}
	if padding != "DEFAULT" && padding != want {
		return m, name + " takes the padding " + want + ", not " + padding
	}
	return m, ""
}

// The messages of the ciphers show neither data nor keys.
func blockOf(key []byte) (cipher.Block, string) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Sprintf("needs a key of 16, 24 or 32 bytes, got %d", len(key))
	}
	return block, ""
}

func encryptRow(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	block, msg := blockOf(args[1].Bytes(r))
	if msg != "" {
		return nil, "", msg
	}
	mode, msg := modeOf(args, r)
	if msg != "" {
		return nil, "", msg
	}
	iv := make([]byte, mode.iv)
	_, _ = rand.Read(iv) // it never fails
	if len(args) > 4 && len(args[4].Bytes(r)) > 0 {
		if iv = args[4].Bytes(r); len(iv) != mode.iv {
			return nil, "", fmt.Sprintf("%s needs an initialisation vector of %d bytes, got %d", mode.name, mode.iv, len(iv))
		}
	}
	var aad []byte
	if len(args) > 5 && len(args[5].Bytes(r)) > 0 {
		if aad = args[5].Bytes(r); mode.name != "GCM" {
			return nil, "", "additional data are for GCM alone"
		}
	}
	return seal(append(dst, iv...), block, mode, iv, args[0].Bytes(r), aad), "", ""
}

func seal(dst []byte, block cipher.Block, mode blockMode, iv, plain, aad []byte) []byte {
	if mode.name == "GCM" {
		gcm, _ := cipher.NewGCM(block) // AES has the right block size
		return gcm.Seal(dst, iv, plain, aad)
	}
	pad := aes.BlockSize - len(plain)%aes.BlockSize
	from := len(dst)
	dst = append(dst, plain...)
	for range pad {
		dst = append(dst, byte(pad))
	}
	if mode.name == "CBC" {
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(dst[from:], dst[from:])
		return dst
	}
	for b := dst[from:]; len(b) > 0; b = b[aes.BlockSize:] {
		block.Encrypt(b, b)
	}
	return dst
}

const notDecrypted = "key, mode or data are wrong"

func decryptRow(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	block, msg := blockOf(args[1].Bytes(r))
	if msg != "" {
		return nil, "", msg
	}
	mode, msg := modeOf(args, r)
	if msg != "" {
		return nil, "", msg
	}
	data := args[0].Bytes(r)
	if len(data) < mode.iv {
		return nil, "", notDecrypted
	}
	iv, data := data[:mode.iv], data[mode.iv:]
	var aad []byte
	if len(args) > 4 {
		aad = args[4].Bytes(r)
	}
	if mode.name == "GCM" {
		gcm, _ := cipher.NewGCM(block)
		out, err := gcm.Open(dst, iv, data, aad)
		if err != nil {
			return nil, "", notDecrypted
		}
		return out, "", ""
	}
	return open(dst, block, mode, iv, data)
}

// open decrypts whole blocks and takes the padding away.
func open(dst []byte, block cipher.Block, mode blockMode, iv, data []byte) (res []byte, value, msg string) {
	if len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, "", notDecrypted
	}
	from := len(dst)
	dst = append(dst, data...)
	if mode.name == "CBC" {
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(dst[from:], dst[from:])
	} else {
		for b := dst[from:]; len(b) > 0; b = b[aes.BlockSize:] {
			block.Decrypt(b, b)
		}
	}
	pad := int(dst[len(dst)-1])
	if pad == 0 || pad > aes.BlockSize {
		return nil, "", notDecrypted
	}
	for _, ch := range dst[len(dst)-pad:] {
		if int(ch) != pad {
			return nil, "", notDecrypted
		}
	}
	return dst[:len(dst)-pad], "", ""
}

func hmacRow(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	name := "SHA-256"
	if len(args) > 2 {
		name = args[2].Text(r)
	}
	h := digestOf(name)
	switch {
	case h == nil:
		return nil, fn.Quote(name), "unknown algorithm; there are SHA-1, SHA-224, SHA-256, SHA-384, SHA-512 and MD5"
	case len(args[0].Bytes(r)) == 0:
		return nil, "", "the key is empty"
	}
	mac := hmac.New(h, args[0].Bytes(r))
	mac.Write(args[1].Bytes(r))
	return mac.Sum(dst), "", ""
}

func digestOf(name string) func() hash.Hash {
	switch strings.ReplaceAll(strings.ToUpper(name), "-", "") {
	case "SHA1":
		return sha1.New
	case "SHA224":
		return sha256.New224
	case "SHA256":
		return sha256.New
	case "SHA384":
		return sha512.New384
	case "SHA512":
		return sha512.New
	case "MD5":
		return md5.New
	}
	return nil
}
