import process from 'node:process'

const lookMs = 250

/**
 * Ends this process when npm is killed. npm passes the signal only to the shell that it started; the shell dies without
 * passing it on, and this process would run on unseen and keep the port and the data.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }
  const timer = setInterval(look, lookMs).unref()
}
