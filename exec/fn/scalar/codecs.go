package scalar

import "github.com/sqlstream/sqlstream/exec/fn"

// codecs are the functions that hash, encode, decode and format.
func codecs() []*fn.Scalar {
	var all []*fn.Scalar
	for _, family := range [][]*fn.Scalar{
		digests(), hashes(), ciphers(), byteTexts(), bases(), charsets(), utf8Texts(), urls(),
		numberTexts(), numberFormats(), formatters(), paths(), moreNumbers(), randoms(), raises(), uuids(), kinds(), gzips(), normalForms(),
	} {
		all = append(all, family...)
	}
	return all
}
