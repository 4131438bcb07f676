package conformance

// readSteps reads a test of steps.
func readSteps(root, path string) (*script, error) { return &script{name: path}, nil }
