module failures

go 1.25
