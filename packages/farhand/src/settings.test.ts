import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settingsOf, settle } from './settings.ts'

const schema = z.object({
  port: z.coerce.number().int().max(65535).default(7717).describe('where to listen'),
  allowedHosts: z.array(z.string()).default([]),
  allowClose: z.boolean().default(true),
  publicUrl: z.url().optional(),
})
const defaults = { port: 7717, allowedHosts: [], allowClose: true }

describe('settings', () => {
  it('take their names and texts from the schema', () => {
    expect(settingsOf(schema)).toEqual([
      {
        key: 'port',
        flag: '--port',
        env: 'FARHAND_PORT',
        kind: 'value',
        description: 'where to listen',
        fallback: 7717,
      },
      {
        key: 'allowedHosts',
        flag: '--allowed-hosts',
        env: 'FARHAND_ALLOWED_HOSTS',
        kind: 'list',
        description: '',
        fallback: [],
      },
      {
        key: 'allowClose',
        flag: '--no-allow-close',
        env: 'FARHAND_ALLOW_CLOSE',
        kind: 'switch',
        description: '',
        fallback: true,
      },
      {
        key: 'publicUrl',
        flag: '--public-url',
        env: 'FARHAND_PUBLIC_URL',
        kind: 'value',
        description: '',
        fallback: undefined,
      },
    ])
  })

  it('have defaults', () => {
    expect(settle(schema, {}, {})).toEqual(defaults)
  })

  it('listen to the command line before the environment', () => {
    expect(settle(schema, { port: '1' }, { FARHAND_PORT: '2' })).toEqual({ ...defaults, port: 1 })
    expect(settle(schema, {}, { FARHAND_PORT: '2' })).toEqual({ ...defaults, port: 2 })
  })

  it('read lists and switches from the environment', () => {
    const env = { FARHAND_ALLOWED_HOSTS: 'a.example, b.example', FARHAND_ALLOW_CLOSE: 'no' }
    expect(settle(schema, {}, env)).toEqual({
      ...defaults,
      allowedHosts: ['a.example', 'b.example'],
      allowClose: false,
    })
  })

  it('take an empty variable for one that is not set, not for zero', () => {
    expect(settle(schema, {}, { FARHAND_PORT: '' })).toEqual(defaults)
  })

  it('name the place a wrong value came from', () => {
    expect(() => settle(schema, {}, { FARHAND_PORT: '99999' })).toThrow(/^FARHAND_PORT is "99999": /)
    expect(() => settle(schema, { port: 'ninety' }, {})).toThrow(/^--port is "ninety": /)
    expect(() => settle(schema, {}, { FARHAND_ALLOW_CLOSE: 'perhaps' })).toThrow(
      /^FARHAND_ALLOW_CLOSE is "perhaps": /,
    )
  })
})
