import type { z } from 'zod'
import { type MethodName, maySend, methods } from '../methods/methods.ts'
import { describeIssue } from '../text/describe-issue.ts'
import type { Author, Notification } from '../wire/event.ts'
import { Fault } from '../wire/faults.ts'
import { isObject } from '../wire/is-object.ts'
import { wireName } from '../wire/wire-names.ts'
import { BlobList } from './blobs-named.ts'
import { eventsNamed } from './event-names.ts'
import { plainFiles } from './plain-files.ts'

const malformed = (field: string, why: string) =>
  new Fault('request.malformed', field ? `${field}: ${why}` : why, field ? { field } : {})

// Object.hasOwn, because a method may be called "constructor".
const known = (name: string) => (Object.hasOwn(methods, name) ? methods[name as MethodName] : undefined)

// Where no branch of a union matched, an issue with a present field tells more than one with a missing field: the issue
// of {files:[{path:'..'}]} is files.0.path, not a missing path.
function mostTelling(issue: z.core.$ZodIssue, at: PropertyKey[], params: unknown): z.core.$ZodIssue {
  const path = [...at, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return { ...issue, path }
  const weight = (one: z.core.$ZodIssue) => {
    let value = params
    for (const key of one.path)
      value = isObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined
    return one.path.length + (value === undefined ? 0 : 1000)
  }
  return issue.errors
    .flatMap((branch) => (branch[0] ? [mostTelling(branch[0], path, params)] : []))
    .reduce((best, one) => (weight(one) >= weight(best) ? one : best))
}

const isAboutFiles = eventsNamed('file_sync', 'file_change')

function checkParams(schema: z.ZodType, params: unknown): void {
  const result = schema.safeParse(params)
  const issue = result.error?.issues[0]
  if (!issue) return
  const trouble = mostTelling(issue, [], params)
  throw malformed(['params', ...trouble.path].join('.'), describeIssue(trouble))
}

/**
 * Throws a Fault if this is not a valid notification, or not one that an author of this kind may send (W10, W15).
 *
 * The value stays as it is, unknown params included.
 */
export function checkNotification(value: unknown, kind: Author['kind']): asserts value is Notification {
  if (!isObject(value)) throw malformed('', 'expected a JSON-RPC 2.0 notification')
  if (value.jsonrpc !== '2.0') throw malformed('jsonrpc', 'expected "2.0"')
  const { method: name, params } = value
  if (typeof name !== 'string' || name === '' || name.length > 200) {
    throw malformed('method', 'expected a name of 1 to 200 characters')
  }
  if ('id' in value) throw malformed('id', 'expected a notification: only requests have an id')
  if (params !== undefined && !isObject(params)) throw malformed('params', 'expected an object')

  const method = known(name)
  if (method) {
    if (!maySend(kind, method.by)) {
      throw new Fault('role.refused', `${name} is for ${method.by.join(', ')}, not for ${kind}`)
    }
    if (!(isAboutFiles({ method: name }) && plainFiles(params))) checkParams(method.params, params ?? {})
  } else if (!name.startsWith('_')) {
    const meant = wireName(name)
    const hint = known(meant) ? `did you mean ${meant}?` : 'a method of your own has to begin with _'
    throw new Fault('method.unknown', `Unknown method ${name}; ${hint}`, { field: 'method' })
  }
  if (params?.blobs !== undefined) checkParams(BlobList, params)
}
