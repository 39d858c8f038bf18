import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { openapi } from './endpoints/openapi.ts'
import { methods } from './methods/methods.ts'
import { faults } from './wire/faults.ts'
import { limits } from './wire/limits.ts'

const prose = new Set(['description', 'summary'])

/** Members in a fixed order and without prose: words may be improved without changing the wire. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([name, member]) => !(prose.has(name) && typeof member === 'string'),
  )
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)]))
}

const fingerprint = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(shapeOf(value)))
    .digest('hex')
    .slice(0, 16)

it('the shape of the wire changes only on purpose', async () => {
  const { paths, components } = JSON.parse(JSON.stringify(openapi('1')))
  const calls = Object.entries<object>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  )
  const parts: [string, unknown][] = [
    ...Object.entries(methods).map(([name, { by }]): [string, unknown] => [`method ${name}`, by]),
    ...Object.entries(components.schemas).map(([name, schema]): [string, unknown] => [
      `schema ${name}`,
      schema,
    ]),
    ...calls.map(([name, operation]): [string, unknown] => [`call ${name}`, operation]),
    ...Object.entries(faults).map(([code, fault]): [string, unknown] => [`fault ${code}`, fault]),
    ['limits', limits],
  ]
  const lines = parts.map(([name, part]) => `${fingerprint(part)} ${name}`)
  await expect(
    `${lines.join('\n')}\n`,
    'The wire has changed: hubs, runners and clients of different age may no longer understand each other. ' +
      'If that is on purpose, say so in PROTOCOL.md, then pin it: ' +
      'npx vitest run packages/protocol/src/fingerprint.test.ts -u',
  ).toMatchFileSnapshot('./wire.fingerprint')
})
