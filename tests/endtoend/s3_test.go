//go:build services

package endtoend

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// s3Sink writes Parquet files into a bucket of its own.
func s3Sink(w *world) ends {
	w.Helper()
	vars := w.service("s3")
	bucket := strings.ToLower(w.name) + "-out"
	if status, text := s3Call(w, http.MethodPut, vars["S3_ENDPOINT"]+"/"+bucket); status != http.StatusOK {
		w.Fatalf("the bucket is not made: %d %s", status, text)
	}
	at := fmt.Sprintf("connector = 'file', format = 'parquet', s3.endpoint = '%s', s3.region = '%s', s3.access_key = '%s', s3.secret_key = '%s', path = 's3://%s/",
		vars["S3_ENDPOINT"], vars["AWS_REGION"], vars["AWS_ACCESS_KEY_ID"], vars["AWS_SECRET_ACCESS_KEY"], bucket)
	return ends{
		sink: func(name string) string { return at + name + "'" },
		read: func(sink string) []string {
			status, text := s3Call(w, http.MethodGet, vars["S3_ENDPOINT"]+"/"+bucket+"?list-type=2&prefix="+sink+"/_spark_metadata/")
			if status != http.StatusOK {
				w.Fatalf("the bucket is not listed: %d %s", status, text)
			}
			if !strings.Contains(text, "<Key>") {
				return nil // no batch is published
			}
			return readTable(w, sink, at+sink+"'")
		},
	}
}

func s3Call(w *world, method, url string) (status int, text string) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), method, url, nil)
	if err != nil {
		w.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	return res.StatusCode, string(body)
}
