import type { Notification } from '@farhand/protocol/wire/event'
import { limits } from '@farhand/protocol/wire/limits'

// A value that becomes a blob leaves a nested object in its place.
const deepest = limits.eventDepth - 2

/**
 * The event in a form that every JSON library accepts: too deep nesting becomes JSON text, and half UTF-16 characters
 * become replacement characters. Returns the same object if nothing changed.
 */
export function wellFormed(event: Notification): Notification {
  if (!event.params) return event
  const params = mended(event.params, deepest - 1) as Notification['params']
  return params === event.params ? event : { ...event, params }
}

function mended(value: unknown, room: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (room === 0) return jsonOf(value).toWellFormed()
  return Array.isArray(value) ? mendedList(value, room) : mendedRecord(value, room)
}

function mendedList(list: readonly unknown[], room: number): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let nth = 0; nth < list.length; nth++) {
    const one = mended(list[nth], room - 1)
    if (one === list[nth]) continue
    copy ??= [...list]
    copy[nth] = one
  }
  return copy ?? list
}

function mendedRecord(record: object, room: number): object {
  let changes: Map<string, [string, unknown]> | null = null
  for (const key in record) {
    const value = record[key as keyof typeof record]
    const one = mended(value, room - 1)
    if (one === value && key.isWellFormed()) continue
    changes ??= new Map()
    changes.set(key, [key.toWellFormed(), one])
  }
  if (!changes) return record
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(Object.entries(record).map((member) => changes.get(member[0]) ?? member))
}

/** Like JSON.stringify, which overflows the stack for thousands of levels. */
function jsonOf(value: object): string {
  let text = ''
  const rest: (string | { value: unknown })[] = [{ value }]
  while (rest.length > 0) {
    const next = rest.pop()!
    if (typeof next === 'string') text += next
    else if (typeof next.value !== 'object' || next.value === null)
      text += JSON.stringify(next.value) ?? 'null'
    else for (const part of partsOf(next.value).reverse()) rest.push(part)
  }
  return text
}

function partsOf(value: object): (string | { value: unknown })[] {
  const isList = Array.isArray(value)
  const parts = Object.entries(value).flatMap(([key, value], nth) => [
    `${nth > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(key)}:`}`,
    { value },
  ])
  return [isList ? '[' : '{', ...parts, isList ? ']' : '}']
}
