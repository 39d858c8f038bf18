import { event } from '@farhand/protocol/events/event-names'
import type { ServeSettings } from '../request-settings/serve-settings.ts'
import type { NotedRequest } from './noted-requests.ts'

const policies = { ask: 'ask', deny: 'deny', allow: 'allow-all' } as const

/**
 * How a request is worked on: everything comes from the settings that the user of this computer made, and only the address of the run
 * from the hub. What the message says decides nothing here.
 */
export const requestRun = ({ at }: Pick<NotedRequest, 'at'>, settings: ServeSettings) => ({
  at,
  url: settings.url,
  agent: settings.agent,
  workspace: settings.workspace,
  mode: event('mode_change', { mode: 'interactive', policy: policies[settings.questions] }),
})
