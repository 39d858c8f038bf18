import * as collections from './collections.ts'
import type { Handler } from './exchange.ts'
import * as files from './files.ts'
import { getLog } from './get-log.ts'
import { getSync } from './get-sync.ts'
import * as pages from './pages.ts'
import { postSync } from './post-sync.ts'
import type { Rooms } from './rooms.ts'
import { deleteSync, getStatus, postRunner } from './run-state.ts'

/**
 * `open` routes need no token: they say nothing of anybody's work, or their address is signed. `busy` ones are
 * asked thousands of times a second by a working agent: only their failures are worth a line in the request log.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  open?: true
  busy?: true
  handler: Handler
}

const project = '/api/projects/:project'
const task = `${project}/tasks/:task`
const run = `${task}/runs/:run`

/** Every path of the hub and what answers it. */
export function routes(rooms: Rooms): Route[] {
  type Answer = (rooms: Rooms, exchange: Parameters<Handler>[0]) => Promise<void> | void
  const route = (method: Route['method'], path: string, answer: Answer): Route => ({
    method,
    path,
    handler: (exchange) => answer(rooms, exchange),
  })
  const open = (method: Route['method'], path: string, answer: Answer): Route => ({
    ...route(method, path, answer),
    open: true,
  })
  return [
    route('GET', '/api/projects', collections.getProjects),
    route('POST', '/api/projects', collections.postProject),
    route('GET', project, collections.getProject),
    route('GET', `${project}/tasks`, collections.getTasks),
    route('POST', `${project}/tasks`, collections.postTask),
    route('GET', task, collections.getTask),
    route('GET', `${task}/runs`, collections.getRuns),
    route('POST', `${task}/runs`, collections.postRun),
    route('GET', run, collections.getRun),
    { ...route('POST', `${run}/sync`, postSync), busy: true },
    route('GET', `${run}/sync`, getSync),
    route('DELETE', `${run}/sync`, deleteSync),
    route('GET', `${run}/sync/status`, getStatus),
    route('GET', `${run}/sync/log`, getLog),
    route('GET', `${run}/sync/file-url`, files.getFileUrl),
    route('POST', `${run}/sync/file-urls`, files.postFileUrls),
    route('POST', `${run}/runner`, postRunner),
    { ...open('PUT', '/files/:hash', files.putFile), busy: true },
    { ...open('GET', '/files/:hash', files.getFile), busy: true },
    open('GET', '/', pages.getHome),
    open('POST', '/api/sign-in', pages.postSignIn),
    open('POST', '/api/sign-out', pages.postSignOut),
    route('GET', '/api/me', pages.getMe),
    open('GET', '/api/openapi.json', pages.getOpenapi),
    open('GET', '/healthz', pages.getHealth),
    open('GET', '/readyz', pages.getReady),
    open('GET', '/metrics', pages.getMetrics),
  ]
}
