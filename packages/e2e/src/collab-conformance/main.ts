import process from 'node:process'
import { checks } from './checks.ts'
import { promptsInEnglish } from './collab-server.ts'

// Tries a server: `npx tsx packages/e2e/src/collab-conformance/main.ts <url>`, with its token in COLLAB_TOKEN.
const {
  COLLAB_TOKEN: token,
  COLLAB_OTHER_TOKEN: otherToken,
  COLLAB_EXTRA: extra = '{}',
  COLLAB_SAYS: says = '{}',
} = process.env
const [url] = process.argv.slice(2)
if (url === undefined || token === undefined) {
  process.stderr.write(
    'Usage: COLLAB_TOKEN=<token> npx tsx packages/e2e/src/collab-conformance/main.ts <url>\n' +
      'COLLAB_OTHER_TOKEN is the token of another user, COLLAB_EXTRA more fields of each new task,\nand COLLAB_SAYS other prompts, as JSON.\n',
  )
  process.exit(2)
}
const server = {
  url,
  token,
  extra: JSON.parse(extra),
  says: { ...promptsInEnglish, ...JSON.parse(says) },
  ...(otherToken !== undefined && { otherToken }),
}
let failed = 0
for (const { of, says, find } of checks) {
  try {
    await find(server)
    process.stdout.write(`ok      ${of}: ${says}\n`)
  } catch (error) {
    failed += 1
    process.stdout.write(
      `FAILED  ${of}: ${says}\n        ${(error as Error).message.replaceAll('\n', '\n        ')}\n`,
    )
  }
}
process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
