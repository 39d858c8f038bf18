import process from 'node:process'

const lookMs = 250

/**
 * Lets `kill <npm>` mean what it says. npm passes the signal on to the shell it started us with; that shell dies of
 * it and tells nobody, and we would run on unseen, with the port and the data still ours.
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
