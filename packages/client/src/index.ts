export type { AcpMessage, AgentConnection } from './agent-connection.ts'
export { type DownloadOptions, downloadBlob, readBlob } from './blobs/download-blob.ts'
export { type FetchBlobsOptions, type FetchedBlob, fetchBlobs } from './blobs/fetch-blobs.ts'
export { type Hasher, hashOf } from './blobs/sha256.ts'
export { type BlobSource, type Upload, type UploadOptions, uploadBlobs } from './blobs/upload-blobs.ts'
export type { CallOptions } from './call.ts'
export { CloudConnection, type CloudConnectionOptions } from './cloud-connection.ts'
export {
  archiveRun,
  listAgents,
  lookAtRun,
  muteRun,
  pushKey,
  renameRun,
  subscribePush,
  unsubscribePush,
} from './desk.ts'
export { type FollowOptions, type FollowState, follow, followPortions, type Portion } from './follow.ts'
export { type FollowRunsOptions, followRuns, type RunsChange } from './follow-runs.ts'
export type { Followed } from './follow-step.ts'
export type { Hub } from './hub.ts'
export { memoryOutbox } from './memory-outbox.ts'
export type { Online } from './online.ts'
export type { Outbox, Unsent } from './outbox.ts'
export { type PackedBlob, type PostOptions, post } from './post.ts'
export { Producer, ProducerFull, type ProducerOptions } from './producer.ts'
export { type ReadLogOptions, readLog } from './read-log.ts'
export { Refusal, Unreachable } from './refusal.ts'
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
  listAllRuns,
  listProjects,
  listRuns,
  listTasks,
  type RunFilter,
  runStatus,
} from './resources.ts'
export { type SendOptions, sendFromOutbox } from './send-from-outbox.ts'
export { Unconfirmed } from './unconfirmed.ts'
