import type { z } from 'zod'
import { Ok, RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '../schemas/api.ts'
import type { RunId } from '../wire/ids.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

const ofRun = (path: (run: RunId) => string) => template((at: RunAddress) => path(at.run))

const put = (path: string, summary: string, body: z.ZodType): Endpoint => ({
  method: 'PUT',
  path,
  summary,
  who: 'user',
  body: json(body),
  answers: { 200: { says: 'So it is', bodies: json(Ok) } },
  faults: ['run.unknown', 'request.too-large', 'request.unsupported-type'],
})

/** What a user sets for single runs: title, archived, muted, read (W48, W49, W56); and changes in the list of runs. */
export const runPreferences = {
  getRunChanges: {
    method: 'GET',
    path: paths.runChanges(),
    summary: 'Follow what the list of your runs would say (W48)',
    who: 'user',
    answers: {
      200: {
        says: 'A run as it is listed, each time that changes, without end',
        bodies: { 'text/event-stream': null },
      },
    },
    faults: ['request.not-acceptable'],
  },
  putRunTitle: put(ofRun(paths.runTitle), 'Call a run something else (W48)', RunTitle),
  putRunArchived: put(
    ofRun(paths.runArchived),
    'Put a run away, or back among the others (W48)',
    RunArchived,
  ),
  putRunMuted: put(ofRun(paths.runMuted), 'Have nothing told of a run, or everything again (W49)', RunMuted),
  putRunSeen: put(ofRun(paths.runSeen), 'Say how far its user has read a run (W56)', RunSeen),
  putRunLooking: put(
    ofRun(paths.runLooking),
    'Say that a person looks at this run: for a minute nothing is told of it (W49)',
    RunLooking,
  ),
} as const satisfies Record<string, Endpoint>
