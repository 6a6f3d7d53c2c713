package export

// CutAt lets [Job.Run] visit parts of so many bytes at a time; 0 is the usual. Tests of targets make them small, so that
// small traces have many parts.
func (j *Job) CutAt(bytes int64) { j.share = bytes }
