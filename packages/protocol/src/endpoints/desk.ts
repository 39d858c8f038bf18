import type { z } from 'zod'
import { AgentsHere } from '../schemas/available-agents.ts'
import { Ok, RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '../schemas/api.ts'
import type { RunId } from '../wire/ids.ts'
import { NewPushSubscription, PushKey, PushSubscribed } from '../schemas/push.ts'
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

/** What a person has before them who looks after many runs: names, what is put away, what changes, what is told (W48, W49). */
export const desk = {
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
  getAgents: {
    method: 'GET',
    path: paths.agents(),
    summary: 'The agents and the kinds of sandbox that runs can have here (W48)',
    who: 'user',
    answers: { 200: { says: 'All of them', bodies: json(AgentsHere) } },
  },
  getPushKey: {
    method: 'GET',
    path: paths.pushKey(),
    summary: 'The key with which a browser subscribes to what there is to tell (W49)',
    who: 'user',
    answers: { 200: { says: 'The same for all', bodies: json(PushKey) } },
  },
  postPushSubscription: {
    method: 'POST',
    path: paths.pushSubscriptions(),
    summary: 'Have this browser told; the same subscription again takes the place of the one before (W49)',
    who: 'user',
    body: json(NewPushSubscription),
    answers: { 201: { says: 'It is told from now on', bodies: json(PushSubscribed) } },
    faults: ['request.too-large', 'request.unsupported-type'],
  },
  deletePushSubscription: {
    method: 'DELETE',
    path: template((_: RunAddress) => paths.pushSubscription('{id}')),
    summary: 'Have this browser told no longer; one that is not there is no error (W49)',
    who: 'user',
    answers: { 200: { says: 'It is told nothing', bodies: json(Ok) } },
  },
} as const satisfies Record<string, Endpoint>
