const extension = 'asks.mjs'

/**
 * Makes Pi ask: an extension that asks the user before every tool that does more than read, and a program that starts
 * Pi with it. An unknown tool may do anything, so it asks for that, too.
 */
export const piExtension = {
  program: 'asking/pi',
  files: {
    'asking/pi': `#!/bin/sh
exec pi --extension "$(dirname "$0")/${extension}" "$@"
`,
    [`asking/${extension}`]: `const readers = new Set(['read', 'grep', 'find', 'ls'])

function about(tool, input) {
  if (typeof input.command === 'string') return ['Run a command', input.command]
  const place = typeof input.path === 'string' ? ' ' + input.path : ''
  return ['Use ' + tool + place, JSON.stringify(input, null, 2)]
}

export default function (pi) {
  pi.on('tool_call', async ({ toolName, input }, { hasUI, ui }) => {
    if (readers.has(toolName)) return undefined
    const isAllowed = hasUI && (await ui.confirm(...about(toolName, input ?? {})))
    return isAllowed ? undefined : { block: true, reason: 'The user did not allow this.' }
  })
}
`,
  },
}
