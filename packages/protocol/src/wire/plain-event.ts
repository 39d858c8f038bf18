import { z } from 'zod'
import { isObject } from './is-object.ts'
import type { SeenEvent } from './seen-event.ts'

const time = z.regexes.datetime({})
const parts = new Set(['id', 'type', 'timestamp', 'notification', 'by', 'producer', 'key', 'life'])
const said = new Set(['jsonrpc', 'method', 'params'])

/**
 * A fast check before `SeenEvent`: the value itself if it is an event exactly as this version of the hub stores it; null for
 * every other value, valid or not, which the schema has to check. It accepts nothing that the schema refuses.
 */
export function plainEvent(value: unknown): SeenEvent | null {
  if (!isObject(value) || !hasOnly(value, parts)) return null
  const { id, type, timestamp, notification, by, producer, key, life } = value
  const isPlain =
    isWhole(id, 1) &&
    type === 'notification' &&
    typeof timestamp === 'string' &&
    time.test(timestamp) &&
    isNotification(notification) &&
    isAuthor(by) &&
    (producer === undefined || isStamp(producer)) &&
    (key === undefined || isKey(key)) &&
    (life === undefined || isWhole(life, 0))
  return isPlain ? (value as SeenEvent) : null
}

const isNotification = (value: unknown) =>
  isObject(value) &&
  hasOnly(value, said) &&
  value.jsonrpc === '2.0' &&
  isText(value.method, 200) &&
  (value.params === undefined || isObject(value.params))

function isAuthor(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.kind === 'runner') return isWhole(value.generation, 1) && countOf(value) === 2
  return value.kind === 'device' && typeof value.id === 'string' && countOf(value) === 2
}

const isStamp = (value: unknown) =>
  isObject(value) &&
  isText(value.id, 100) &&
  isWhole(value.epoch, 0) &&
  isWhole(value.seq, 0) &&
  countOf(value) === 3

const isKey = (value: unknown) =>
  isObject(value) && isText(value.key, 200) && typeof value.body === 'string' && countOf(value) === 2

const isText = (value: unknown, most: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= most

const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least

// The schema drops unknown members from its result, so such values have to go through the schema.
function hasOnly(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false
  return true
}

const countOf = (value: Record<string, unknown>) => Object.keys(value).length
