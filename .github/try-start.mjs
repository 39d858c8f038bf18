// Starts the product as README.md says programs do, opens the page that it prints, and stops it as Ctrl-C would.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'

const data = mkdtempSync(path.join(tmpdir(), 'farhand-start-'))
const isWindows = process.platform === 'win32'
const args = ['start', '--silent', '--', '--port', '0', '--json', '--data', data]
const child = spawn('npm', args, {
  stdio: ['ignore', 'pipe', 'inherit'],
  shell: isWindows,
  detached: !isWindows,
})
const ended = new Promise((resolve) => child.once('close', resolve))
const tooLate = setTimeout(() => finish(new Error('npm start has not answered within ten minutes.')), 600_000)

let isOver = false
async function finish(error) {
  if (isOver) return
  isOver = true
  clearTimeout(tooLate)
  if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'])
  else process.kill(-child.pid, 'SIGINT')
  await ended
  rmSync(data, { recursive: true, force: true, maxRetries: 10 })
  if (error) throw error
}

child.once('close', (code) => finish(new Error(`npm start ended with ${code}.`)))
for await (const line of createInterface({ input: child.stdout })) {
  const { url, token } = JSON.parse(line)
  const page = await fetch(url)
  const projects = await fetch(`${url}/api/projects`, { headers: { authorization: `Bearer ${token}` } })
  process.stdout.write(`${url} answers: page ${page.status}, API ${projects.status}\n`)
  await finish(page.ok && projects.ok ? null : new Error('npm start does not answer as it should.'))
  break
}
