//go:build services

package endtoend

// pipeline is a way through the program.
type pipeline struct {
	name string
	// services are what it needs of the outside; outages takes them away for a while.
	services []string
	// steps are the places between which its sinks publish a batch (mutant.CrashAt).
	steps []string
	// open makes what is outside for one round, under names of the round's own.
	open func(w *world) ends
}

// ends are both ends of a pipeline in one round. A failure ends the test: they have the world.
type ends struct {
	// source is what WITH of the source clicks says. ${limit} is a number of rows for a
	// trigger, another one in each run.
	source string
	sink   func(name string) string // what WITH of a sink says
	feed   func(part int)           // makes a part of the input available, whole
	// read gives the rows that a reader of a sink sees, as the answer has them, in any order.
	read func(sink string) []string
	// columns and query are what is done with the source clicks; "" = those of tests/soak.
	columns, query string
	// answer is what a sink must hold when all parts have arrived, sorted; nil = that of the input.
	// What a sink with an answer of its own holds before says nothing: rows come and go.
	answer func(sink string) []string
	// done gives back what a server has few of, at the end of a round; nil = nothing.
	done func()
}

func pipelines() []pipeline {
	return []pipeline{
		{"kafka-kafka", []string{"kafka"}, kafkaSteps, func(w *world) ends { return joined(kafkaSource(w), kafkaSink(w)) }},
		{"files-kafka", []string{"kafka"}, kafkaSteps, func(w *world) ends { return joined(fileSource(w), kafkaSink(w)) }},
		{"kafka-postgres", []string{"kafka", "postgres"}, nil, func(w *world) ends { return joined(kafkaSource(w), postgresSink(w)) }},
		{"changes-kafka", []string{"kafka", "postgres"}, kafkaSteps, changesToKafka},
		{"kafka-files", []string{"kafka"}, nil, func(w *world) ends { return joined(kafkaSource(w), fileSink(w, "json")) }},
		{"kafka-parquet", []string{"kafka"}, nil, func(w *world) ends { return joined(kafkaSource(w), fileSink(w, "parquet")) }},
		{"kafka-s3", []string{"kafka", "s3"}, nil, func(w *world) ends { return joined(kafkaSource(w), s3Sink(w)) }},
	}
}

// joined takes the source of one and the sinks of the other.
func joined(from, to ends) ends {
	from.sink, from.read = to.sink, to.read
	return from
}
