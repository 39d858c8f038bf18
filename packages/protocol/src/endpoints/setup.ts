import { Ok } from '../schemas/api.ts'
import { SetupCache } from '../schemas/setup-cache.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json, ofRun, template } from './endpoint.ts'

const cache = template((at: Parameters<typeof paths.setupCache>[0]) => paths.setupCache(at, '{key}'))

/** Cached results of setup commands in a project's runs (W42). */
export const setup = {
  getSetupCache: ofRun({
    method: 'GET',
    path: cache,
    summary: 'The cached result of a setup command, from any run of the project (W42)',
    who: 'runner',
    answers: { 200: { says: 'The blob that holds it', bodies: json(SetupCache) } },
    faults: ['runner.fenced', 'setup.unknown'],
  }),
  putSetupCache: ofRun({
    method: 'PUT',
    path: cache,
    summary: 'Cache the result of a setup command, in a run in which no agent has worked yet (W42)',
    who: 'runner',
    body: json(SetupCache),
    answers: {
      200: {
        says: 'Cached, as soon as its blob has arrived, for 30 days after its last use',
        bodies: json(Ok),
      },
    },
    faults: ['runner.fenced', 'setup.refused', 'request.too-large', 'request.unsupported-type'],
  }),
} as const satisfies Record<string, Endpoint>
