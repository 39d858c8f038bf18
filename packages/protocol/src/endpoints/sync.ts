import { z } from 'zod'
import { SyncStatus } from '../runs/sync-status.ts'
import {
  CallbacksRegistered,
  CloseAccepted,
  Posted,
  RegisterCallback,
  SessionOpened,
} from '../schemas/api.ts'
import { Notification, StoredEvent } from '../wire/event.ts'
import { limits } from '../wire/limits.ts'
import { packType } from '../wire/pack.ts'
import { paths } from '../wire/routes.ts'
import { wireName } from '../wire/wire-names.ts'
import { type Endpoint, json, ofRun, template } from './endpoint.ts'
import {
  DeviceHeader,
  DeviceLifeHeader,
  IdempotencyHeader,
  ProducerHeaders,
  SessionIdHeader,
  StreamHeaders,
} from './headers.ts'

const cursor = z.number().int().nonnegative().optional()
const stream = { 'text/event-stream': null }
export const Notifications = z.array(Notification).min(1).max(limits.eventsPerRequest)
export const PostSyncBody = z.union([Notification, Notifications, RegisterCallback])
export const PostSyncAnswer = z.union([SessionOpened, CallbacksRegistered])

/** Writing, following and reading a run's log (W10 to W24b). */
export const sync = {
  postSync: ofRun({
    method: 'POST',
    path: template(paths.sync),
    summary:
      'Append one notification or several, with the blobs they name if they come as a pack; open the run again; or ' +
      'register callbacks (W10 to W15, W31)',
    who: 'user-or-runner',
    headers: z.object({
      ...DeviceHeader.shape,
      ...DeviceLifeHeader.shape,
      ...IdempotencyHeader.shape,
      ...ProducerHeaders.shape,
    }),
    body: { 'application/json': PostSyncBody, 'application/x-ndjson': Notification, [packType]: null },
    answers: {
      200: {
        says:
          `The run is open (\`${wireName('session_init')}\`), the callbacks are registered, or, for a \`${wireName('user_message')}\` ` +
          'sent with `Accept: text/event-stream`, the events of its turn from its ack to its turn_complete',
        bodies: { ...json(PostSyncAnswer), ...stream },
        headers: SessionIdHeader,
      },
      202: {
        says: 'All of it is stored durably, in this order',
        bodies: json(Posted),
        headers: SessionIdHeader,
      },
    },
    faults: [
      'request.too-large',
      'request.unsupported-type',
      'method.unknown',
      'role.refused',
      'runner.fenced',
      'producer.fenced',
      'device.fenced',
      'producer.gap',
      'key.reused',
      'run.closed',
      'run.overfull',
      'message.begun',
      'run.questions-open',
      'close.refused',
      'blob.missing',
      'blob.mismatch',
      'log.unavailable',
      'storage.full',
    ],
  }),
  getSync: ofRun({
    method: 'GET',
    path: template(paths.sync),
    summary: 'Follow the log: what happened since a cursor, then what happens (W16 to W21)',
    who: 'user-or-runner',
    guests: true,
    headers: StreamHeaders,
    query: z.object({
      last_event_id: cursor.describe('For readers that cannot send the header.'),
      start: z.literal('latest').optional().describe('Only what is new.'),
      envelope: z.literal('stored').optional().describe('Whole stored lines instead of bare notifications.'),
      to: z.literal('agent').optional().describe('Only events that no runner wrote, and turn markers.'),
      files: z
        .literal('together')
        .optional()
        .describe('File events of several paths in one message; otherwise one message for each path (W60).'),
      contents: z
        .literal('along')
        .optional()
        .describe('Small contents come before the event that names them (W33).'),
      presence: z
        .literal('1')
        .optional()
        .describe('Who looks at the run and who is typing comes along (W115).'),
    }),
    answers: {
      200: {
        says: 'One message for each event, and the named events `live`, `end`, `reconnect`, `blob` and `presence`',
        bodies: stream,
        headers: SessionIdHeader,
      },
    },
    faults: ['request.not-acceptable', 'cursor.ahead', 'runner.fenced'],
  }),
  deleteSync: ofRun({
    method: 'DELETE',
    path: template(paths.sync),
    summary: 'Close the run (W22)',
    who: 'user',
    headers: DeviceHeader,
    answers: { 202: { says: 'The hub will close it', bodies: json(CloseAccepted) } },
    faults: ['close.refused', 'role.refused'],
  }),
  getStatus: ofRun({
    method: 'GET',
    path: template(paths.status),
    summary: 'Where the run stands (W23)',
    who: 'user-or-runner',
    guests: true,
    answers: { 200: { says: 'The state, folded from the log', bodies: json(SyncStatus) } },
  }),
  getLog: ofRun({
    method: 'GET',
    path: template(paths.log),
    summary: 'The stored lines after an event (W24b)',
    who: 'user-or-runner',
    guests: true,
    query: z.object({ after: cursor.describe('The id of the last event already known.') }),
    answers: { 200: { says: 'One event a line', bodies: { 'application/x-ndjson': StoredEvent } } },
    faults: ['cursor.ahead'],
  }),
} as const satisfies Record<string, Endpoint>
