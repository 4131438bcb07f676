package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// OTLP posts metrics to an OpenTelemetry collector: OTLP over HTTP, in JSON, cumulative.
type OTLP struct {
	url     string
	headers map[string]string
	started time.Time
	version string
	client  *http.Client
}

// NewOTLP returns a target. endpoint is the base of the collector, http://host:4318;
// headers go with every request (a token), and started is when counting began.
func NewOTLP(endpoint string, headers map[string]string, started time.Time, version string) (*OTLP, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("an OTLP endpoint is an http:// or https:// address, such as http://127.0.0.1:4318")
	}
	if !strings.HasSuffix(u.Path, "/v1/metrics") {
		u = u.JoinPath("v1", "metrics")
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &OTLP{url: u.String(), headers: headers, started: started, version: version, client: c}, nil
}

// Name implements Target.
func (*OTLP) Name() string { return "otlp" }

// Push implements Target.
func (o *OTLP) Push(ctx context.Context, now time.Time, families []Family) error {
	body, err := json.Marshal(o.document(now, families))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the endpoint cannot be called")
	}
	r.Header.Set("Content-Type", "application/json")
	for k, v := range o.headers {
		r.Header.Set(k, v)
	}
	res, err := o.client.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // its text has the whole address, which may hold secrets
			err = u.Err
		}
		return err
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) //nolint:errcheck // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", res.Status)
	}
	return nil
}

type object = map[string]any

// document is an ExportMetricsServiceRequest.
func (o *OTLP) document(now time.Time, families []Family) object {
	metrics := make([]object, 0, len(families))
	for _, f := range families {
		metrics = append(metrics, o.metric(now, f))
	}
	resource := object{"attributes": []object{attribute("service.name", "sqlstream"), attribute("service.version", o.version)}}
	return object{"resourceMetrics": []object{{"resource": resource,
		"scopeMetrics": []object{{"scope": object{"name": "sqlstream", "version": o.version}, "metrics": metrics}}}}}
}

// cumulative is AGGREGATION_TEMPORALITY_CUMULATIVE.
const cumulative = 2

func (o *OTLP) metric(now time.Time, f Family) object {
	points := make([]object, 0, len(f.Samples))
	for _, s := range f.Samples {
		p := object{"timeUnixNano": nanos(now)}
		var attrs []object
		for i, l := range f.Labels {
			attrs = append(attrs, attribute(l, s.Labels[i]))
		}
		if attrs != nil {
			p["attributes"] = attrs
		}
		if f.Kind != Gauge {
			p["startTimeUnixNano"] = nanos(o.started)
		}
		if f.Kind == HistogramKind {
			fillHistogram(p, s.Histogram)
		} else {
			p["asDouble"] = s.Value
		}
		points = append(points, p)
	}
	m := object{"name": f.Name, "description": f.Help, "unit": unitOf(f.Name)}
	switch f.Kind {
	case Gauge:
		m["gauge"] = object{"dataPoints": points}
	case Counter:
		m["sum"] = object{"dataPoints": points, "aggregationTemporality": cumulative, "isMonotonic": true}
	case HistogramKind:
		m["histogram"] = object{"dataPoints": points, "aggregationTemporality": cumulative}
	}
	return m
}

func fillHistogram(p object, h *Histogram) {
	counts := make([]string, len(h.Counts))
	for i, c := range h.Counts {
		counts[i] = strconv.FormatUint(c, 10)
	}
	p["count"], p["sum"], p["bucketCounts"], p["explicitBounds"] = strconv.FormatUint(h.Count(), 10), h.Sum, counts, h.Bounds
}

// unitOf is the unit of a metric by its name, in the words of UCUM.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	case strings.HasSuffix(name, "_bytes"):
		return "By"
	}
	return "1"
}

// 64-bit numbers are texts in the JSON of protocol buffers.
func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func attribute(key, value string) object {
	return object{"key": key, "value": object{"stringValue": strings.ToValidUTF8(value, "�")}}
}
