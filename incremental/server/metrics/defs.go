package metrics

// Defs is the table of all metrics.
func Defs() []Def {
	var all []Def
	for _, list := range [][]Def{queryDefs(), rowDefs(), timeDefs(), triggerDefs(), partDefs(), listenerDefs(), serverDefs(), processDefs()} {
		all = append(all, list...)
	}
	return all
}

// of makes the list of labels of a metric of queries.
func of(more ...string) []string { return append([]string{"query"}, more...) }

func queryDefs() []Def {
	return []Def{
		{"sqlstream_queries", Gauge, []string{"status"}, "Queries that the program knows, by status."},
		{"sqlstream_query_info", Gauge, of("id", "run_id"), "Is 1: the ids of a query; run_id is new at each start."},
		{"sqlstream_query_status", Gauge, of("status"), "Is 1 for the status that a query has, and 0 for the others."},
		{"sqlstream_query_start_time_seconds", Gauge, of(), "When the query was last started, in seconds since 1970."},
		{"sqlstream_query_restarts_total", Counter, of(), "How often the query was started again."},
		{"sqlstream_query_failures_total", Counter, of(), "How often the query failed."},
		{"sqlstream_query_omitted", Gauge, nil, "Queries without metrics of their own, because there are too many."},
	}
}

func rowDefs() []Def {
	return []Def{
		{"sqlstream_input_rows_total", Counter, of(), "Rows read. They are the sum of sqlstream_rows_total over fates."},
		{"sqlstream_rows_total", Counter, of("fate"), "Rows read, by fate: contributed, filtered, late or bad. Each row has exactly one."},
		{"sqlstream_partial_rows_total", Counter, of(), "Rows that some of their windows refused as late, while others took them."},
		{"sqlstream_evaluation_errors_total", Counter, of(), "Values that could not be computed and became NULL (eval_error = 'null')."},
	}
}

func timeDefs() []Def {
	return []Def{
		{"sqlstream_watermark_timestamp_seconds", Gauge, of(), "The event time that the query has reached, in seconds since 1970."},
		{"sqlstream_watermark_lag_seconds", Gauge, of(), "How far the watermark is behind the clock."},
		{"sqlstream_event_time_timestamp_seconds", Gauge, of("stat"), "The least (min), greatest (max) and mean (avg) event time of the last micro-batch that had any; no mean where the times were not read, but taken from the statistics of files."},
	}
}

func triggerDefs() []Def {
	return []Def{
		{"sqlstream_batches_total", Counter, of(), "Micro-batches that ended well."},
		{"sqlstream_last_batch_id", Gauge, of(), "Number of the last micro-batch."},
		{"sqlstream_last_trigger_timestamp_seconds", Gauge, of(), "The time of the last trigger that had something to do, in seconds since 1970."},
		{"sqlstream_trigger_duration_seconds", HistogramKind, of(), "How long triggers took."},
		{"sqlstream_trigger_phase_duration_seconds", HistogramKind, of("phase"), "How long the parts of triggers took, as in durationMs of progress records."},
		{"sqlstream_checkpoint_size_bytes", Gauge, of(), "Size of the state in the checkpoint: its log and its runs."},
	}
}

// partDefs are metrics of sources, operators and sinks.
func partDefs() []Def {
	source, op, sink := of("source"), of("operator", "operator_id"), of("sink")
	return []Def{
		{"sqlstream_source_rows_total", Counter, source, "Rows read from a source."},
		{"sqlstream_source_watermark_timestamp_seconds", Gauge, source, "The watermark of a source, in seconds since 1970."},
		{"sqlstream_source_idle", Gauge, source, "Is 1 while a source is idle and holds no watermark back."},
		{"sqlstream_source_ignored_files", Gauge, source, "Files that max_file_age left out since the query was started."},
		{"sqlstream_source_backlog_rows", Gauge, source, "Rows that wait in a source which knows their number."},
		{"sqlstream_source_gaps", Gauge, source, "Gaps in a source since the query was started: rows that were gone before they could be read."},
		{"sqlstream_source_lost_rows", Gauge, source, "Rows in these gaps, as far as their number is known."},
		{"sqlstream_state_rows", Gauge, op, "Entries that an operator keeps."},
		{"sqlstream_state_bytes", Gauge, op, "Memory that an operator holds for its entries."},
		{"sqlstream_state_updated_rows_total", Counter, op, "Entries that triggers changed."},
		{"sqlstream_state_removed_rows_total", Counter, op, "Entries that triggers dropped."},
		{"sqlstream_operator_late_rows_total", Counter, op, "Rows (for sliding windows, pairs of row and window) that an operator refused as late."},
		{"sqlstream_sink_rows_total", Counter, sink, "Rows given to a sink."},
		{"sqlstream_sink_publish_duration_seconds", HistogramKind, sink, "How long a sink took to publish a micro-batch."},
		{"sqlstream_sink_ignored_deletes", Gauge, sink, "Removals that on_delete = 'ignore' left out since the query was started."},
	}
}

func listenerDefs() []Def {
	return []Def{
		{"sqlstream_listener_dropped_events_total", Counter, []string{"listener"}, "Events that a listener was too slow for."},
		{"sqlstream_webhook_deliveries_total", Counter, []string{"result"}, "Webhook calls, by result: delivered, failed (after the last attempt) or dropped (the queue was full)."},
		{"sqlstream_webhook_attempts_total", Counter, nil, "Attempts to call a webhook, failed ones included."},
		{"sqlstream_webhook_queue_length", Gauge, nil, "Events that wait for a webhook."},
		{"sqlstream_push_failures_total", Counter, []string{"target"}, "Times that metrics could not be pushed: statsd or otlp."},
	}
}

func serverDefs() []Def {
	return []Def{
		{"sqlstream_http_requests_total", Counter, []string{"route", "code"}, "Requests answered, by route and status code."},
		{"sqlstream_http_request_duration_seconds", HistogramKind, []string{"route"}, "How long answers took."},
		{"sqlstream_http_requests_in_flight", Gauge, nil, "Requests that are being answered."},
		{"sqlstream_http_refused_total", Counter, []string{"reason"}, "Requests refused before they reached a route: token, host, origin, busy, size."},
	}
}

func processDefs() []Def {
	return []Def{
		{"sqlstream_build_info", Gauge, []string{"version", "go_version"}, "Is 1: what runs."},
		{"process_start_time_seconds", Gauge, nil, "When the program was started, in seconds since 1970."},
		{"process_cpu_seconds_total", Counter, nil, "Processor time used, of user and system."},
		{"process_resident_memory_bytes", Gauge, nil, "Memory that is in RAM."},
		{"process_open_fds", Gauge, nil, "Open file descriptors."},
		{"go_goroutines", Gauge, nil, "Goroutines."},
		{"go_memory_used_bytes", Gauge, nil, "Memory that the Go runtime holds from the system and has not given back."},
		{"go_heap_live_bytes", Gauge, nil, "Heap in use by objects, dead ones that were not collected yet included."},
	}
}
