import type { BlobHash } from './blob-hash.ts'
import type { DeviceId, ProjectId, RequestId, RunId, SessionId, TaskId, TokenId } from './ids.ts'

/** The address of a run: the task must be of the project and the run of the task, or the hub does not find it (W2). */
export type RunAddress = { project: ProjectId; task: TaskId; run: RunId }

const projects = '/api/projects'
const tasks = (project: string) => `${projects}/${project}/tasks`
const runs = (project: string, task: string) => `${tasks(project)}/${task}/runs`
const run = (at: { project: string; task: string; run: string }) => `${runs(at.project, at.task)}/${at.run}`

/** Every path of the hub: the client builds its requests from these, and the hub's routes are these with placeholders. */
export const paths = {
  projects: () => projects,
  project: (project: ProjectId) => `${projects}/${project}`,
  secrets: (project: ProjectId) => `${projects}/${project}/secrets`,
  secret: (project: ProjectId, name: string) => `${projects}/${project}/secrets/${name}`,
  tasks: (project: ProjectId) => tasks(project),
  task: (project: ProjectId, task: TaskId) => `${tasks(project)}/${task}`,
  runs: (project: ProjectId, task: TaskId) => runs(project, task),
  run: (at: RunAddress) => run(at),
  allRuns: () => '/api/runs',
  anyRun: (run: RunId) => `/api/runs/${run}`,
  runChanges: () => '/api/runs/changes',
  runTitle: (run: RunId) => `/api/runs/${run}/title`,
  runArchived: (run: RunId) => `/api/runs/${run}/archived`,
  runMuted: (run: RunId) => `/api/runs/${run}/muted`,
  runSeen: (run: RunId) => `/api/runs/${run}/seen`,
  runLooking: (run: RunId) => `/api/runs/${run}/looking`,
  agents: () => '/api/agents',
  pushKey: () => '/api/push/key',
  pushSubscriptions: () => '/api/push/subscriptions',
  pushSubscription: (id: string) => `/api/push/subscriptions/${id}`,
  sync: (at: RunAddress) => `${run(at)}/sync`,
  status: (at: RunAddress) => `${run(at)}/sync/status`,
  log: (at: RunAddress) => `${run(at)}/sync/log`,
  fileUrl: (at: RunAddress) => `${run(at)}/sync/file-url`,
  fileUrls: (at: RunAddress) => `${run(at)}/sync/file-urls`,
  blobs: (at: RunAddress) => `${run(at)}/sync/blobs`,
  patch: (at: RunAddress) => `${run(at)}/sync/patch`,
  runFile: (at: RunAddress, hash: string) => `${run(at)}/files/${hash}`,
  runner: (at: RunAddress) => `${run(at)}/runner`,
  rest: (at: RunAddress) => `${run(at)}/runner/rest`,
  move: (at: RunAddress) => `${run(at)}/move`,
  setupCache: (at: RunAddress, key: string) => `${run(at)}/setup-cache/${key}`,
  file: (hash: BlobHash) => `/files/${hash}`,
  signIn: () => '/api/sign-in',
  signOut: () => '/api/sign-out',
  signInCodes: () => '/api/sign-in-codes',
  sessions: () => '/api/sessions',
  session: (session: SessionId) => `/api/sessions/${session}`,
  sessionName: (session: SessionId) => `/api/sessions/${session}/name`,
  acpBind: () => '/acp/auth/bind',
  acpRefresh: () => '/acp/auth/refresh',
  acpCode: () => '/acp/auth/code',
  acpCodeToken: () => '/acp/auth/code/token',
  devices: () => '/api/devices',
  device: (device: DeviceId) => `/api/devices/${device}`,
  deviceCode: (code: string) => `/api/device-codes/${code}`,
  userTokens: () => '/api/tokens',
  userToken: (token: TokenId) => `/api/tokens/${token}`,
  password: () => '/api/password',
  requests: () => '/api/requests',
  request: (request: RequestId) => `/api/requests/${request}`,
  acceptRequest: (request: RequestId) => `/api/requests/${request}/accept`,
  cancelRequest: (request: RequestId) => `/api/requests/${request}/cancel`,
  deviceSocket: () => '/acp/ws',
  me: () => '/api/me',
  openapi: () => '/api/openapi.json',
  healthz: () => '/healthz',
  readyz: () => '/readyz',
  metrics: () => '/metrics',
} as const
