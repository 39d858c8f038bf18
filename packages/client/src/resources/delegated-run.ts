import { type TaskAction, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import type { RunId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** Pauses, resumes or cancels the task that a program delegated with this run, for pages; programs have `TaskClient`. */
export const changeDelegated = (hub: Hub, run: RunId, action: TaskAction, options?: CallOptions) =>
  call(hub, jsonRequest('PUT', paths.runDelegated(run), { action }), TaskSnapshot, options)
