package perfetto

// Chrome's names for processes and threads if a trace has only their types, by
// the numbers of its protocol.
var (
	chromeProcesses = map[uint64]string{
		1: "Browser", 2: "Renderer", 3: "Utility", 4: "SandboxHelper", 6: "Gpu", 7: "PpapiPlugin", 8: "PpapiBroker",
		9: "Service: network", 10: "Service: tracing", 11: "Service: storage", 12: "Service: audio", 40: "Extension Renderer",
	}
	chromeThreads = map[uint64]string{
		1: "CrProcessMain", 2: "ChromeIOThread", 3: "ThreadPoolBackgroundWorker", 4: "ThreadPoolForegroundWorker",
		7: "ThreadPoolService", 8: "Compositor", 9: "VizCompositorThread", 10: "CompositorTileWorker", 11: "ServiceWorkerThread",
		12: "NetworkService", 13: "Chrome_ChildIOThread", 14: "Chrome_IOThread", 15: "CrBrowserMain", 16: "CrRendererMain",
		17: "CrUtilityMain", 18: "CrGpuMain", 20: "Media", 50: "MemoryInfra", 51: "StackSamplingProfiler",
	}
)

// typeOf returns the first field of a ChromeProcessDescriptor or a
// ChromeThreadDescriptor: the type.
func typeOf(b []byte) (kind uint64, ok bool) {
	f := fields{rest: b}
	for f.next() {
		if f.number == 1 {
			kind = f.value
		}
	}
	return kind, !f.bad
}
