import type { z } from 'zod'
import { Ok, RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '../schemas/api.ts'
import type { RunId } from '../wire/ids.ts'
import type { Right } from '../wire/project-role.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

const ofRun = (path: (run: RunId) => string) => template((at: RunAddress) => path(at.run))

const put = (path: string, summary: string, body: z.ZodType, needs: Right = 'view'): Endpoint => ({
  method: 'PUT',
  path,
  summary,
  who: 'user',
  needs,
  body: json(body),
  answers: { 200: { says: 'Stored', bodies: json(Ok) } },
  faults: ['run.unknown', 'request.too-large', 'request.unsupported-type'],
})

/**
 * What a user sets for single runs: title, archived, muted, read (W48, W49, W56); and changes in the list of runs. All but the title
 * is the user's own, so who may see a run may set it.
 */
export const runPreferences = {
  getRunChanges: {
    method: 'GET',
    path: paths.runChanges(),
    summary: 'Follow the changes in the list of your runs (W48)',
    who: 'user',
    answers: {
      200: { says: 'A listed run, each time it changes, without end', bodies: { 'text/event-stream': null } },
    },
    faults: ['request.not-acceptable'],
  },
  putRunTitle: put(ofRun(paths.runTitle), 'Change the title of a run (W48)', RunTitle, 'work'),
  putRunArchived: put(ofRun(paths.runArchived), 'Archive a run, or take that back (W48)', RunArchived),
  putRunMuted: put(ofRun(paths.runMuted), 'Turn the notifications of a run off, or on again (W49)', RunMuted),
  putRunSeen: put(ofRun(paths.runSeen), 'Store how far its user has read a run (W56)', RunSeen),
  putRunLooking: put(
    ofRun(paths.runLooking),
    'Report that the user has this run on the screen: for a minute there are no notifications of it (W49)',
    RunLooking,
  ),
} as const satisfies Record<string, Endpoint>
