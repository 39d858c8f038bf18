export type { AcpMessage, AgentConnection } from './agent/agent-connection.ts'
export { CloudConnection, type CloudConnectionOptions } from './agent/cloud-connection.ts'
export { type DownloadOptions, downloadBlob, readBlob } from './blobs/download-blob.ts'
export { type FetchBlobsOptions, type FetchedBlob, fetchBlobs } from './blobs/fetch-blobs.ts'
export { type Hasher, hashOf } from './blobs/sha256.ts'
export { type BlobSource, type Upload, type UploadOptions, uploadBlobs } from './blobs/upload-blobs.ts'
export { type FollowTaskOptions, TaskClient } from './delegated/task-client.ts'
export {
  type FollowOptions,
  type FollowState,
  follow,
  followPortions,
  type Portion,
} from './follow/follow.ts'
export { type FollowRunsOptions, followRuns, type RunsChange } from './follow/follow-runs.ts'
export type { Followed } from './follow/follow-step.ts'
export { type ReadLogOptions, readLog } from './follow/read-log.ts'
export { memoryOutbox } from './post/memory-outbox.ts'
export type { Outbox, Unsent } from './post/outbox.ts'
export { type PackedBlob, type PostOptions, post } from './post/post.ts'
export { Producer, ProducerFull, type ProducerOptions } from './post/producer.ts'
export { type SendOptions, sendFromOutbox } from './post/send-from-outbox.ts'
export type { CallOptions } from './requests/call.ts'
export type { Hub } from './requests/hub.ts'
export type { Online } from './requests/online.ts'
export { Refusal, Unreachable } from './requests/refusal.ts'
export { Unconfirmed } from './requests/unconfirmed.ts'
export { pushKey, subscribePush, unsubscribePush } from './resources/push.ts'
export {
  addressOf,
  beginRunner,
  type CreateOptions,
  closeRun,
  createProject,
  createRun,
  createTask,
  endRunner,
  findRun,
  initRun,
  type ListOptions,
  listAgents,
  listAllRuns,
  listProjects,
  listRuns,
  listTasks,
  type RunFilter,
  runStatus,
} from './resources/resources.ts'
export { archiveRun, lookAtRun, muteRun, renameRun } from './resources/run-preferences.ts'
export {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  findSchedule,
  listOccurrences,
  listSchedules,
  runScheduleNow,
} from './resources/schedules.ts'
