// Code generated from recorder/perfetto/messages/*.proto. DO NOT EDIT.

// Package pbfield has the numbers of the fields, and the values of the enums, of the messages that a Perfetto trace
// consists of, for code that reads or writes them without the generated messages: TracePacket_Timestamp is the field
// timestamp of a TracePacket.
package pbfield

// Fields of Trace.
const (
	Trace_Packet = 1
)

// Fields of TracePacket.
const (
	TracePacket_Timestamp               = 8
	TracePacket_TimestampClockId        = 58
	TracePacket_ProcessTree             = 2
	TracePacket_ClockSnapshot           = 6
	TracePacket_TrackEvent              = 11
	TracePacket_TraceConfig             = 33
	TracePacket_TraceStats              = 35
	TracePacket_SynchronizationMarker   = 36
	TracePacket_ProcessDescriptor       = 43
	TracePacket_ThreadDescriptor        = 44
	TracePacket_SystemInfo              = 45
	TracePacket_Trigger                 = 46
	TracePacket_CompressedPackets       = 50
	TracePacket_TrackDescriptor         = 60
	TracePacket_ServiceEvent            = 69
	TracePacket_TraceUuid               = 89
	TracePacket_RemoteClockSync         = 107
	TracePacket_CloneSnapshotTrigger    = 113
	TracePacket_TraceProvenance         = 124
	TracePacket_Protovms                = 125
	TracePacket_TraceAttributes         = 126
	TracePacket_ZstdCompressedPackets   = 133
	TracePacket_ConcurrentSessionEvent  = 134
	TracePacket_ForTesting              = 900
	TracePacket_TracexCalls             = 2022
	TracePacket_TrustedUid              = 3
	TracePacket_TrustedPacketSequenceId = 10
	TracePacket_InternedData            = 12
	TracePacket_SequenceFlags           = 13
	TracePacket_IncrementalStateCleared = 41
	TracePacket_PreviousPacketDropped   = 42
	TracePacket_TracePacketDefaults     = 59
	TracePacket_TrustedPid              = 79
	TracePacket_FirstPacketOnSequence   = 87
	TracePacket_MachineId               = 98
)

// Values of TracePacket_SequenceFlags.
const (
	TracePacket_SEQ_UNSPECIFIED               = 0
	TracePacket_SEQ_INCREMENTAL_STATE_CLEARED = 1
	TracePacket_SEQ_NEEDS_INCREMENTAL_STATE   = 2
)

// Values of TracePacket_DataLossReason.
const (
	TracePacket_DATA_LOSS_UNSPECIFIED             = 0
	TracePacket_DATA_LOSS_PRESENT                 = 1
	TracePacket_DATA_LOSS_READ_GAP                = 2
	TracePacket_DATA_LOSS_CHUNK_CORRUPTED         = 4
	TracePacket_DATA_LOSS_ORPHAN_CONTINUATION     = 8
	TracePacket_DATA_LOSS_REASSEMBLY_GAP          = 16
	TracePacket_DATA_LOSS_REASSEMBLY_BROKEN_CHAIN = 32
	TracePacket_DATA_LOSS_OVERWRITE               = 64
	TracePacket_DATA_LOSS_WRITER_ABORT            = 128
	TracePacket_DATA_LOSS_SMB_FULL                = 256
)

// Fields of TracePacketDefaults.
const (
	TracePacketDefaults_TrackEventDefaults = 11
	TracePacketDefaults_TimestampClockId   = 58
)

// Fields of ClockSnapshot.
const (
	ClockSnapshot_Clocks            = 1
	ClockSnapshot_PrimaryTraceClock = 2
)

// Fields of ClockSnapshot_Clock.
const (
	ClockSnapshot_Clock_ClockId          = 1
	ClockSnapshot_Clock_Timestamp        = 2
	ClockSnapshot_Clock_IsIncremental    = 3
	ClockSnapshot_Clock_UnitMultiplierNs = 4
)

// Fields of RemoteClockSync.
const (
	RemoteClockSync_SyncedClocks = 1
)

// Fields of RemoteClockSync_SyncedClocks.
const (
	RemoteClockSync_SyncedClocks_ClientClocks = 2
	RemoteClockSync_SyncedClocks_HostClocks   = 3
)

// Fields of Trigger.
const (
	Trigger_TriggerName        = 1
	Trigger_ProducerName       = 2
	Trigger_TrustedProducerUid = 3
	Trigger_StopDelayMs        = 4
)

// Fields of TraceUuid.
const (
	TraceUuid_Msb = 1
	TraceUuid_Lsb = 2
)

// Fields of TraceProvenance.
const (
	TraceProvenance_Buffers = 2
)

// Fields of TraceProvenance_Buffer.
const (
	TraceProvenance_Buffer_Sequences = 1
)

// Fields of TraceProvenance_Sequence.
const (
	TraceProvenance_Sequence_Id         = 1
	TraceProvenance_Sequence_ProducerId = 2
)

// Fields of TracingServiceEvent.
const (
	TracingServiceEvent_AllDataSourcesStarted       = 1
	TracingServiceEvent_TracingStarted              = 2
	TracingServiceEvent_AllDataSourcesFlushed       = 3
	TracingServiceEvent_ReadTracingBuffersCompleted = 4
	TracingServiceEvent_TracingDisabled             = 5
	TracingServiceEvent_SeizedForBugreport          = 6
	TracingServiceEvent_SlowStartingDataSources     = 7
	TracingServiceEvent_LastFlushSlowDataSources    = 8
	TracingServiceEvent_FlushStarted                = 9
	TracingServiceEvent_CloneStarted                = 10
	TracingServiceEvent_BufferCloned                = 11
)

// Fields of TracingServiceEvent_DataSources.
const (
	TracingServiceEvent_DataSources_DataSource = 1
)

// Fields of TracingServiceEvent_DataSources_DataSource.
const (
	TracingServiceEvent_DataSources_DataSource_ProducerName   = 1
	TracingServiceEvent_DataSources_DataSource_DataSourceName = 2
)

// Fields of ConcurrentSessionEvent.
const (
	ConcurrentSessionEvent_State          = 1
	ConcurrentSessionEvent_SessionName    = 2
	ConcurrentSessionEvent_SessionId      = 3
	ConcurrentSessionEvent_ConsumerUid    = 4
	ConcurrentSessionEvent_NumDataSources = 5
)

// Values of ConcurrentSessionEvent_State.
const (
	ConcurrentSessionEvent_STATE_UNSPECIFIED                 = 0
	ConcurrentSessionEvent_STATE_DISABLED                    = 1
	ConcurrentSessionEvent_STATE_CONFIGURED                  = 2
	ConcurrentSessionEvent_STATE_STARTED                     = 3
	ConcurrentSessionEvent_STATE_DISABLING_WAITING_STOP_ACKS = 4
	ConcurrentSessionEvent_STATE_CLONED_READ_ONLY            = 5
)

// Fields of SystemInfo.
const (
	SystemInfo_Utsname               = 1
	SystemInfo_Hz                    = 3
	SystemInfo_TracingServiceVersion = 4
	SystemInfo_PageSize              = 6
	SystemInfo_TimezoneOffMins       = 7
	SystemInfo_NumCpus               = 8
	SystemInfo_SystemRamBytes        = 16
	SystemInfo_MachineName           = 17
)

// Fields of Utsname.
const (
	Utsname_Sysname = 1
	Utsname_Version = 2
	Utsname_Release = 3
	Utsname_Machine = 4
)

// Fields of TestEvent.
const (
	TestEvent_Str      = 1
	TestEvent_SeqValue = 2
	TestEvent_Counter  = 3
	TestEvent_IsLast   = 4
	TestEvent_Payload  = 5
)

// Fields of TestEvent_TestPayload.
const (
	TestEvent_TestPayload_Str                   = 1
	TestEvent_TestPayload_Nested                = 2
	TestEvent_TestPayload_RemainingNestingDepth = 3
	TestEvent_TestPayload_SingleString          = 4
	TestEvent_TestPayload_SingleInt             = 5
	TestEvent_TestPayload_RepeatedInts          = 6
	TestEvent_TestPayload_DebugAnnotations      = 7
)

// Fields of TrackEvent.
const (
	TrackEvent_TimestampDeltaUs               = 1
	TrackEvent_TimestampAbsoluteUs            = 16
	TrackEvent_ThreadTimeDeltaUs              = 2
	TrackEvent_ThreadTimeAbsoluteUs           = 17
	TrackEvent_ThreadInstructionCountDelta    = 8
	TrackEvent_ThreadInstructionCountAbsolute = 20
	TrackEvent_CategoryIids                   = 3
	TrackEvent_DebugAnnotations               = 4
	TrackEvent_TaskExecution                  = 5
	TrackEvent_LegacyEvent                    = 6
	TrackEvent_Type                           = 9
	TrackEvent_NameIid                        = 10
	TrackEvent_Name                           = 23
	TrackEvent_TrackUuid                      = 11
	TrackEvent_ExtraCounterValues             = 12
	TrackEvent_LogMessage                     = 21
	TrackEvent_Categories                     = 22
	TrackEvent_CounterValue                   = 30
	TrackEvent_DoubleCounterValue             = 44
	TrackEvent_ExtraCounterTrackUuids         = 31
	TrackEvent_SourceLocation                 = 33
	TrackEvent_SourceLocationIid              = 34
	TrackEvent_FlowIdsOld                     = 36
	TrackEvent_TerminatingFlowIdsOld          = 42
	TrackEvent_ExtraDoubleCounterTrackUuids   = 45
	TrackEvent_ExtraDoubleCounterValues       = 46
	TrackEvent_FlowIds                        = 47
	TrackEvent_TerminatingFlowIds             = 48
	TrackEvent_CorrelationId                  = 52
	TrackEvent_CorrelationIdStr               = 53
	TrackEvent_CorrelationIdStrIid            = 54
	TrackEvent_Callstack                      = 55
	TrackEvent_CallstackIid                   = 56
)

// Values of TrackEvent_Type.
const (
	TrackEvent_TYPE_UNSPECIFIED = 0
	TrackEvent_TYPE_SLICE_BEGIN = 1
	TrackEvent_TYPE_SLICE_END   = 2
	TrackEvent_TYPE_INSTANT     = 3
	TrackEvent_TYPE_COUNTER     = 4
	TrackEvent_TYPE_STATE       = 5
)

// Fields of TrackEvent_InlineCallstack.
const (
	TrackEvent_InlineCallstack_Frames = 1
)

// Fields of TrackEvent_InlineCallstack_Frame.
const (
	TrackEvent_InlineCallstack_Frame_FunctionName = 1
	TrackEvent_InlineCallstack_Frame_SourceFile   = 2
	TrackEvent_InlineCallstack_Frame_LineNumber   = 3
)

// Fields of TrackEvent_LegacyEvent.
const (
	TrackEvent_LegacyEvent_NameIid                = 1
	TrackEvent_LegacyEvent_Phase                  = 2
	TrackEvent_LegacyEvent_DurationUs             = 3
	TrackEvent_LegacyEvent_ThreadDurationUs       = 4
	TrackEvent_LegacyEvent_UnscopedId             = 6
	TrackEvent_LegacyEvent_LocalId                = 10
	TrackEvent_LegacyEvent_GlobalId               = 11
	TrackEvent_LegacyEvent_IdScope                = 7
	TrackEvent_LegacyEvent_BindId                 = 8
	TrackEvent_LegacyEvent_UseAsyncTts            = 9
	TrackEvent_LegacyEvent_BindToEnclosing        = 12
	TrackEvent_LegacyEvent_FlowDirection          = 13
	TrackEvent_LegacyEvent_InstantEventScope      = 14
	TrackEvent_LegacyEvent_ThreadInstructionDelta = 15
	TrackEvent_LegacyEvent_PidOverride            = 18
	TrackEvent_LegacyEvent_TidOverride            = 19
)

// Values of TrackEvent_LegacyEvent_FlowDirection.
const (
	TrackEvent_LegacyEvent_FLOW_UNSPECIFIED = 0
	TrackEvent_LegacyEvent_FLOW_IN          = 1
	TrackEvent_LegacyEvent_FLOW_OUT         = 2
	TrackEvent_LegacyEvent_FLOW_INOUT       = 3
)

// Values of TrackEvent_LegacyEvent_InstantEventScope.
const (
	TrackEvent_LegacyEvent_SCOPE_UNSPECIFIED = 0
	TrackEvent_LegacyEvent_SCOPE_GLOBAL      = 1
	TrackEvent_LegacyEvent_SCOPE_PROCESS     = 2
	TrackEvent_LegacyEvent_SCOPE_THREAD      = 3
)

// Fields of TrackEventDefaults.
const (
	TrackEventDefaults_TrackUuid                    = 11
	TrackEventDefaults_ExtraCounterTrackUuids       = 31
	TrackEventDefaults_ExtraDoubleCounterTrackUuids = 45
)

// Fields of DebugAnnotation.
const (
	DebugAnnotation_NameIid          = 1
	DebugAnnotation_Name             = 10
	DebugAnnotation_BoolValue        = 2
	DebugAnnotation_UintValue        = 3
	DebugAnnotation_IntValue         = 4
	DebugAnnotation_DoubleValue      = 5
	DebugAnnotation_StringValue      = 6
	DebugAnnotation_PointerValue     = 7
	DebugAnnotation_NestedValue      = 8
	DebugAnnotation_LegacyJsonValue  = 9
	DebugAnnotation_StringValueIid   = 17
	DebugAnnotation_ProtoTypeNameIid = 13
	DebugAnnotation_ProtoTypeName    = 16
	DebugAnnotation_DictEntries      = 11
	DebugAnnotation_ArrayValues      = 12
	DebugAnnotation_ProtoValue       = 14
)

// Fields of DebugAnnotation_NestedValue.
const (
	DebugAnnotation_NestedValue_NestedType  = 1
	DebugAnnotation_NestedValue_DictKeys    = 2
	DebugAnnotation_NestedValue_DictValues  = 3
	DebugAnnotation_NestedValue_ArrayValues = 4
	DebugAnnotation_NestedValue_IntValue    = 5
	DebugAnnotation_NestedValue_DoubleValue = 6
	DebugAnnotation_NestedValue_BoolValue   = 7
	DebugAnnotation_NestedValue_StringValue = 8
)

// Values of DebugAnnotation_NestedValue_NestedType.
const (
	DebugAnnotation_NestedValue_UNSPECIFIED = 0
	DebugAnnotation_NestedValue_DICT        = 1
	DebugAnnotation_NestedValue_ARRAY       = 2
)

// Fields of TaskExecution.
const (
	TaskExecution_PostedFromIid = 1
)

// Fields of LogMessage.
const (
	LogMessage_SourceLocationIid = 1
	LogMessage_BodyIid           = 2
	LogMessage_Prio              = 3
)

// Values of LogMessage_Priority.
const (
	LogMessage_PRIO_UNSPECIFIED = 0
	LogMessage_PRIO_UNUSED      = 1
	LogMessage_PRIO_VERBOSE     = 2
	LogMessage_PRIO_DEBUG       = 3
	LogMessage_PRIO_INFO        = 4
	LogMessage_PRIO_WARN        = 5
	LogMessage_PRIO_ERROR       = 6
	LogMessage_PRIO_FATAL       = 7
)

// Fields of SourceLocation.
const (
	SourceLocation_Iid          = 1
	SourceLocation_FileName     = 2
	SourceLocation_FunctionName = 3
	SourceLocation_LineNumber   = 4
)

// Fields of InternedData.
const (
	InternedData_EventCategories               = 1
	InternedData_EventNames                    = 2
	InternedData_DebugAnnotationNames          = 3
	InternedData_SourceLocations               = 4
	InternedData_FunctionNames                 = 5
	InternedData_Frames                        = 6
	InternedData_Callstacks                    = 7
	InternedData_SourcePaths                   = 18
	InternedData_LogMessageBody                = 20
	InternedData_DebugAnnotationValueTypeNames = 27
	InternedData_DebugAnnotationStringValues   = 29
	InternedData_CorrelationIdStr              = 43
)

// Fields of EventCategory.
const (
	EventCategory_Iid  = 1
	EventCategory_Name = 2
)

// Fields of EventName.
const (
	EventName_Iid  = 1
	EventName_Name = 2
)

// Fields of DebugAnnotationName.
const (
	DebugAnnotationName_Iid  = 1
	DebugAnnotationName_Name = 2
)

// Fields of DebugAnnotationValueTypeName.
const (
	DebugAnnotationValueTypeName_Iid  = 1
	DebugAnnotationValueTypeName_Name = 2
)

// Fields of LogMessageBody.
const (
	LogMessageBody_Iid  = 1
	LogMessageBody_Body = 2
)

// Fields of InternedString.
const (
	InternedString_Iid = 1
	InternedString_Str = 2
)

// Fields of Frame.
const (
	Frame_Iid            = 1
	Frame_FunctionNameId = 2
	Frame_MappingId      = 3
	Frame_RelPc          = 4
	Frame_SourcePathIid  = 5
	Frame_LineNumber     = 6
)

// Fields of Callstack.
const (
	Callstack_Iid      = 1
	Callstack_FrameIds = 2
)

// Fields of TrackDescriptor.
const (
	TrackDescriptor_Uuid                            = 1
	TrackDescriptor_Name                            = 2
	TrackDescriptor_StaticName                      = 10
	TrackDescriptor_AtraceName                      = 13
	TrackDescriptor_Process                         = 3
	TrackDescriptor_Thread                          = 4
	TrackDescriptor_ParentUuid                      = 5
	TrackDescriptor_Counter                         = 8
	TrackDescriptor_DisallowMergingWithSystemTracks = 9
	TrackDescriptor_ChildOrdering                   = 11
	TrackDescriptor_SiblingOrderRank                = 12
	TrackDescriptor_Description                     = 14
	TrackDescriptor_SiblingMergeBehavior            = 15
	TrackDescriptor_SiblingMergeKey                 = 16
	TrackDescriptor_SiblingMergeKeyInt              = 17
	TrackDescriptor_State                           = 18
)

// Values of TrackDescriptor_ChildTracksOrdering.
const (
	TrackDescriptor_UNKNOWN       = 0
	TrackDescriptor_LEXICOGRAPHIC = 1
	TrackDescriptor_CHRONOLOGICAL = 2
	TrackDescriptor_EXPLICIT      = 3
)

// Values of TrackDescriptor_SiblingMergeBehavior.
const (
	TrackDescriptor_SIBLING_MERGE_BEHAVIOR_UNSPECIFIED          = 0
	TrackDescriptor_SIBLING_MERGE_BEHAVIOR_BY_TRACK_NAME        = 1
	TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE                 = 2
	TrackDescriptor_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY = 3
)

// Fields of ProcessDescriptor.
const (
	ProcessDescriptor_Pid              = 1
	ProcessDescriptor_Cmdline          = 2
	ProcessDescriptor_LegacySortIndex  = 3
	ProcessDescriptor_ProcessPriority  = 5
	ProcessDescriptor_ProcessName      = 6
	ProcessDescriptor_StartTimestampNs = 7
	ProcessDescriptor_ProcessLabels    = 8
)

// Fields of ThreadDescriptor.
const (
	ThreadDescriptor_Pid                             = 1
	ThreadDescriptor_Tid                             = 2
	ThreadDescriptor_LegacySortIndex                 = 3
	ThreadDescriptor_ThreadName                      = 5
	ThreadDescriptor_ReferenceTimestampUs            = 6
	ThreadDescriptor_ReferenceThreadTimeUs           = 7
	ThreadDescriptor_ReferenceThreadInstructionCount = 8
)

// Fields of CounterDescriptor.
const (
	CounterDescriptor_Type           = 1
	CounterDescriptor_Categories     = 2
	CounterDescriptor_Unit           = 3
	CounterDescriptor_UnitMultiplier = 4
	CounterDescriptor_IsIncremental  = 5
	CounterDescriptor_UnitName       = 6
	CounterDescriptor_YAxisShareKey  = 7
)

// Values of CounterDescriptor_BuiltinCounterType.
const (
	CounterDescriptor_COUNTER_UNSPECIFIED              = 0
	CounterDescriptor_COUNTER_THREAD_TIME_NS           = 1
	CounterDescriptor_COUNTER_THREAD_INSTRUCTION_COUNT = 2
)

// Values of CounterDescriptor_Unit.
const (
	CounterDescriptor_UNIT_UNSPECIFIED = 0
	CounterDescriptor_UNIT_TIME_NS     = 1
	CounterDescriptor_UNIT_COUNT       = 2
	CounterDescriptor_UNIT_SIZE_BYTES  = 3
)

// Fields of ProcessTree.
const (
	ProcessTree_Processes              = 1
	ProcessTree_Threads                = 2
	ProcessTree_CollectionEndTimestamp = 3
)

// Fields of ProcessTree_Process.
const (
	ProcessTree_Process_Pid           = 1
	ProcessTree_Process_Ppid          = 2
	ProcessTree_Process_Cmdline       = 3
	ProcessTree_Process_Uid           = 5
	ProcessTree_Process_CmdlineIsComm = 9
)

// Fields of ProcessTree_Thread.
const (
	ProcessTree_Thread_Tid  = 1
	ProcessTree_Thread_Name = 2
	ProcessTree_Thread_Tgid = 3
)

// Values of BuiltinClock.
const (
	BuiltinClock_BUILTIN_CLOCK_UNKNOWN          = 0
	BuiltinClock_BUILTIN_CLOCK_REALTIME         = 1
	BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE  = 2
	BuiltinClock_BUILTIN_CLOCK_MONOTONIC        = 3
	BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE = 4
	BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW    = 5
	BuiltinClock_BUILTIN_CLOCK_BOOTTIME         = 6
	BuiltinClock_BUILTIN_CLOCK_TSC              = 9
	BuiltinClock_BUILTIN_CLOCK_PERF             = 10
	BuiltinClock_BUILTIN_CLOCK_TRACE_FILE       = 11
	BuiltinClock_BUILTIN_CLOCK_MAX_ID           = 63
)
