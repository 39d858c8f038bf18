import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settingsOf, settle } from './settings.ts'

const schema = z.object({
  port: z.coerce.number().int().min(0).max(65535).default(7717).describe('where to listen'),
  allowedHosts: z.array(z.string().min(1)).default([]),
  allowClose: z.boolean().default(true),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
})
const wide = schema.extend({
  data: z.string().min(1).default('.'),
  level: z.enum(['low', 'high']).default('low'),
  sizeBytes: z.coerce.number().int().positive().default(1),
})
const defaults = { port: 7717, allowedHosts: [], allowClose: true }

describe('settings', () => {
  it('take their names and texts from the schema', () => {
    expect(settingsOf(schema)).toMatchObject([
      {
        key: 'port',
        flag: '--port',
        env: 'FARHAND_PORT',
        kind: 'value',
        takes: 'port',
        description: 'where to listen',
        fallback: 7717,
      },
      {
        key: 'allowedHosts',
        flag: '--allowed-hosts',
        env: 'FARHAND_ALLOWED_HOSTS',
        kind: 'list',
        takes: 'names...',
        description: '',
        fallback: [],
      },
      {
        key: 'allowClose',
        flag: '--no-allow-close',
        env: 'FARHAND_ALLOW_CLOSE',
        kind: 'switch',
        takes: 'allowClose',
        description: '',
        fallback: true,
      },
      {
        key: 'publicUrl',
        flag: '--public-url',
        env: 'FARHAND_PUBLIC_URL',
        kind: 'value',
        takes: 'url',
        description: '',
        fallback: undefined,
      },
    ])
  })

  it('have defaults', () => {
    expect(settle(schema, {}, {}, '')).toEqual(defaults)
  })

  it('listen to the command line before the environment', () => {
    expect(settle(schema, { port: '1' }, { FARHAND_PORT: '2' }, '')).toEqual({ ...defaults, port: 1 })
    expect(settle(schema, {}, { FARHAND_PORT: '2' }, '')).toEqual({ ...defaults, port: 2 })
  })

  it('read lists and switches from the environment', () => {
    const env = { FARHAND_ALLOWED_HOSTS: 'a.example, b.example', FARHAND_ALLOW_CLOSE: 'no' }
    expect(settle(schema, {}, env, '')).toEqual({
      ...defaults,
      allowedHosts: ['a.example', 'b.example'],
      allowClose: false,
    })
  })

  it('take an empty variable for one that is not set, not for zero', () => {
    expect(settle(schema, {}, { FARHAND_PORT: '' }, '')).toEqual(defaults)
  })

  it('name the place a wrong value came from, and what goes there, in plain words', () => {
    const number = 'takes a whole number from 0 to 65535'
    expect(() => settle(wide, {}, { FARHAND_PORT: '99999' }, '')).toThrow(
      `FARHAND_PORT is "99999", but ${number}`,
    )
    for (const port of ['ninety', '0x1F', '1e3', '1.5', ' 1', '-1'])
      expect(() => settle(wide, { port }, {}, '')).toThrow(`--port is "${port}", but ${number}`)
    expect(() => settle(wide, { port: '' }, {}, '')).toThrow('--port is "", but must not be empty')
    expect(() => settle(wide, { data: '' }, {}, '')).toThrow('--data is "", but must not be empty')
    expect(() => settle(wide, { level: 'loud' }, {}, '')).toThrow(
      '--level is "loud", but takes one of low, high',
    )
    expect(() => settle(wide, { sizeBytes: '0' }, {}, '')).toThrow('but takes a whole number from 1 up')
    expect(() => settle(wide, { publicUrl: 'ftp://a' }, {}, '')).toThrow(
      'but takes an address such as https://',
    )
    expect(() => settle(wide, {}, { FARHAND_ALLOW_CLOSE: 'perhaps' }, '')).toThrow(
      'FARHAND_ALLOW_CLOSE is "perhaps", but takes yes or no',
    )
    const env = { FARHAND_ALLOWED_HOSTS: 'a,,b' }
    expect(() => settle(wide, {}, env, '')).toThrow(
      'FARHAND_ALLOWED_HOSTS is ["a","","b"], but must not be empty',
    )
  })

  it('say where to read more', () => {
    expect(() => settle(wide, { port: 'x' }, {}, 'npm start -- --help')).toThrow(
      expect.objectContaining({ nextStep: 'See `npm start -- --help` for what each setting takes.' }),
    )
  })

  it('a secret one is read from the environment alone, and not quoted when it is wrong', () => {
    const kept = z.object({ key: z.string().min(32).optional().meta({ secret: true }) })
    const [long, short] = ['k'.repeat(32), 'too-short']
    expect(settle(kept, { key: long }, {}, 'help')).toEqual({})
    expect(settle(kept, {}, { FARHAND_KEY: long }, 'help')).toEqual({ key: long })
    const wrong = () => settle(kept, {}, { FARHAND_KEY: short }, 'help')
    expect(wrong).toThrow('FARHAND_KEY is set, but')
    expect(wrong).not.toThrow(short)
  })
})
