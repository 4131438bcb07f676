package build

// OutputFronts are the frontiers of the edge to an output.
func (g *Graph) OutputFronts(output int) []int64 { return g.outputs[output].kids[0].fronts }
