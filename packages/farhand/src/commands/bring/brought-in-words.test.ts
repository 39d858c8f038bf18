import { expect, it } from 'vitest'
import { broughtInWords } from './brought-in-words.ts'

const event = (method: string, params: object) => ({
  notification: { jsonrpc: '2.0' as const, method, params: { ...params } },
})
const hash = `sha256_${'a'.repeat(64)}`
const file = { path: '.agents/AGENTS.md', hash, mode: '644', size: 1 }

it.each([
  ['nothing was', [event('_posthog/console', { level: 'info', message: 'x' })], null],
  ['one file was', [event('_posthog/user_setup', { items: [file] })], 'It has 1 file of yours'],
  [
    'the newest says so',
    [
      event('_posthog/user_setup', { items: [file, { ...file, path: '.claude/CLAUDE.md' }] }),
      event('_posthog/user_setup', { items: [file], mcpServers: [{ name: 'web' }] }),
      event('_posthog/console', { message: 'x', brought: { left: ['the MCP server web: no secret'] } }),
    ],
    'It has 1 file and the MCP server web of yours; left out there: the MCP server web: no secret',
  ],
  ['it was taken back', [event('_posthog/user_setup', { items: [] })], null],
])('what was brought to a run is told in a line, if %s', (_, events, words) => {
  expect(broughtInWords(events)).toBe(words)
})
