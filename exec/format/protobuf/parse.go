package protobuf

import (
	"fmt"
	"strings"

	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/options"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	_ "google.golang.org/protobuf/types/known/anypb"           // a schema may import it
	_ "google.golang.org/protobuf/types/known/apipb"           // the same
	_ "google.golang.org/protobuf/types/known/durationpb"      // the same
	_ "google.golang.org/protobuf/types/known/emptypb"         // the same
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"     // the same
	_ "google.golang.org/protobuf/types/known/sourcecontextpb" // the same
	_ "google.golang.org/protobuf/types/known/structpb"        // the same
	_ "google.golang.org/protobuf/types/known/timestamppb"     // the same
	_ "google.golang.org/protobuf/types/known/typepb"          // the same
	_ "google.golang.org/protobuf/types/known/wrapperspb"      // the same

	"github.com/sqlstream/sqlstream/exec/format/registry"
)

// parse compiles the text of a file. References are the files that it imports.
//
// The library has this as one call, in a package that decodes descriptors at each start of the
// program, used or not; that is felt where a start takes some milliseconds.
func parse(text string, references []registry.Reference) (protoreflect.FileDescriptor, error) {
	const name = "schema.proto"
	c := compilation{texts: map[string]string{name: text}, files: map[string]linker.File{}, symbols: &linker.Symbols{}, handler: reporter.NewHandler(nil)}
	for _, r := range references {
		c.texts[r.Name] = r.Text
	}
	return c.file(name)
}

// compilation compiles a file and what it imports.
type compilation struct {
	texts   map[string]string
	files   map[string]linker.File // nil = under way
	symbols *linker.Symbols
	handler *reporter.Handler
}

func (c *compilation) file(name string) (linker.File, error) {
	if f, ok := c.files[name]; ok {
		if f == nil {
			return nil, fmt.Errorf("%q imports itself", name)
		}
		return f, nil
	}
	c.files[name] = nil
	f, err := c.compile(name)
	c.files[name] = f
	return f, err
}

func (c *compilation) compile(name string) (linker.File, error) {
	text, ok := c.texts[name]
	if !ok {
		known, err := protoregistry.GlobalFiles.FindFileByPath(name)
		if err != nil {
			return nil, fmt.Errorf("%q is imported, and not among the references of the schema", name)
		}
		return linker.NewFileRecursive(known)
	}
	tree, err := parser.Parse(name, strings.NewReader(text), c.handler)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ResultFromAST(tree, true, c.handler)
	if err != nil {
		return nil, err
	}
	var imports linker.Files
	for _, d := range parsed.FileDescriptorProto().GetDependency() {
		f, err := c.file(d)
		if err != nil {
			return nil, err
		}
		imports = append(imports, f)
	}
	return c.link(parsed, imports)
}

func (c *compilation) link(parsed parser.Result, imports linker.Files) (linker.File, error) {
	f, err := linker.Link(parsed, imports, c.symbols, c.handler)
	if err != nil {
		return nil, err
	}
	if _, err := options.InterpretOptions(f, c.handler); err != nil {
		return nil, err
	}
	if err := f.ValidateOptions(c.handler, c.symbols); err != nil {
		return nil, err
	}
	return f, c.handler.Error()
}
