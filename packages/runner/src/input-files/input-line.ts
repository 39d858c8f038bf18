import { event } from '@farhand/protocol/events/event-names'
import { FileSync } from '@farhand/protocol/methods/files'
import { type EventName, type EventParams, events } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import { z } from 'zod'

/** What a line means: an event for the log, changed files to tell the agent about, nothing, or an error. */
export type InputLine =
  | { event: Notification }
  | { changed: string[] }
  | { nothing: true }
  | { trouble: string }

const nothing = { nothing: true } as const
const Typed = z.looseObject({ type: z.string() })
const Told = z.looseObject({ action: z.string() })
const InPlace = z.object({ files: z.array(z.union([z.string(), z.looseObject({ path: z.string() })])) })

const pathOf = (file: string | { path: string }) => (typeof file === 'string' ? file : file.path)

/** Parses a line of the messages file. */
export function parseMessageLine(line: string): InputLine {
  return read(line, Typed, ({ type, ...params }) => {
    if (type === 'user_message') return checked('user_message', params)
    if (type !== 'file_sync') return { trouble: `unknown type ${JSON.stringify(type)}` }
    const isChange = FileSync.safeParse(params).success
    const inPlace = isChange ? undefined : InPlace.safeParse(params).data
    // Sync finds these files itself; only the agent has to be told.
    if (inPlace) return inPlace.files.length > 0 ? { changed: inPlace.files.map(pathOf) } : nothing
    return checked('file_sync', params)
  })
}

/** Parses a line of the control file. */
export function parseControlLine(line: string): InputLine {
  return read(line, Told, ({ action, ...params }) => {
    if (action === 'cancel') return { event: event('cancel', {}) }
    if (action === 'close') return checked('close', params)
    return { trouble: `unknown action ${JSON.stringify(action)}` }
  })
}

function read<Said>(line: string, schema: z.ZodType<Said>, meaning: (said: Said) => InputLine): InputLine {
  if (line.trim() === '') return nothing
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    // The error is reported; later lines still count.
    return { trouble: 'it is not JSON' }
  }
  const said = schema.safeParse(json)
  return said.success ? meaning(said.data) : { trouble: whyNot(said.error) }
}

function checked<Name extends EventName>(name: Name, params: unknown): InputLine {
  const { success, error } = events[name].params.safeParse(params)
  return success ? { event: event(name, params as EventParams<Name>) } : { trouble: whyNot(error) }
}

function whyNot({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.')
  return field ? `${field}: ${issue?.message}` : (issue?.message ?? 'it says nothing')
}
