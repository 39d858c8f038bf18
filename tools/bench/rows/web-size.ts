import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Row, Sample } from '../row.ts'

const { webApp } = createRequire(import.meta.url)('../../../packages/web/build/web-app.cjs') as {
  webApp(): Promise<string>
}
const first = 'the first screen'
const kb = 1000

/** What a browser has to load before it can show anything: what the page itself names. */
function firstScreen(folder: string): Sample {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const size = (ending: string) =>
    named
      .filter((path) => path.endsWith(ending))
      .reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0) / kb
  return { 'JS KB gzip': size('.js'), 'CSS KB gzip': size('.css') }
}

export const webSize: Row = {
  name: 'web-size',
  title: 'What the web app loads for its first screen',
  peers: [],
  async run() {
    const sample = firstScreen(await webApp())
    return {
      figures: [{ name: first, samples: [sample] }],
      goals: [
        {
          text: 'under 250 KB of JavaScript, compressed',
          metric: 'JS KB gzip',
          hub: first,
          atMost: 250,
          unit: 'KB',
        },
        {
          text: 'aim: under 150 KB',
          aim: true,
          metric: 'JS KB gzip',
          hub: first,
          atMost: 150,
          unit: 'KB',
        },
      ],
      notes: [
        'The files that `index.html` names, each compressed with gzip at its usual level. What is loaded later (colours of code, files, the form for a new run) does not count.',
      ],
    }
  },
}
