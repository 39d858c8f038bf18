import { z } from 'zod'

// Ids end up in file names (the log of a run) and in URLs: letters and digits only, so neither needs escaping.
const idOf = <Prefix extends string>(prefix: Prefix) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{8,64}$`), `expected an id like ${prefix}_4fJ2...`)
    .brand<Prefix>()

export const ProjectId = idOf('prj')
export type ProjectId = z.infer<typeof ProjectId>
export const TaskId = idOf('tsk')
export type TaskId = z.infer<typeof TaskId>
export const RunId = idOf('run')
export type RunId = z.infer<typeof RunId>
export const DeviceId = idOf('dev')
export type DeviceId = z.infer<typeof DeviceId>
export const UserId = idOf('usr')
export type UserId = z.infer<typeof UserId>
export const SessionId = idOf('ses')
export type SessionId = z.infer<typeof SessionId>
export const TokenId = idOf('tok')
export type TokenId = z.infer<typeof TokenId>
export const RequestId = idOf('req')
export type RequestId = z.infer<typeof RequestId>
/** A task that a program has delegated to the hub. */
export const DelegatedTaskId = idOf('acp')
export type DelegatedTaskId = z.infer<typeof DelegatedTaskId>
export const ScheduleId = idOf('sch')
export type ScheduleId = z.infer<typeof ScheduleId>
export const OccurrenceId = idOf('occ')
export type OccurrenceId = z.infer<typeof OccurrenceId>
/** Farhand's own begin with `qst_`; programs written from seed 001 choose other ids (W63). */
export const QuestionId = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/, 'expected 1 to 100 printable characters without spaces')
  .brand<'qst'>()
export type QuestionId = z.infer<typeof QuestionId>

/** The place of an event in its log: 1, 2, 3, ... without a hole (W4). */
export const EventId = z.number().int().positive()
export type EventId = z.infer<typeof EventId>

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random letters and digits that cannot be guessed: 22 of them carry 130 bits. */
export function randomName(length = 22): string {
  let name = ''
  while (name.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      // Bytes past the last whole multiple would make the first letters likelier.
      if (byte < 248 && name.length < length) name += alphabet[byte % 62]
    }
  }
  return name
}

/** A new id of the given kind: `newId(RunId, 'run')`. */
export function newId<Schema extends z.ZodType>(schema: Schema, prefix: string): z.infer<Schema> {
  return schema.parse(`${prefix}_${randomName()}`)
}
