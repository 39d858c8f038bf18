const steps = [
  {
    sign: /EUSAGE|can only install packages when/,
    step: 'The lock does not match a package.json: run `npm install`, then try again.',
  },
  { sign: /ENOSPC/, step: 'The disk is full: make room, then try again.' },
  { sign: /EACCES|EPERM|EROFS/, step: 'This folder cannot be written: check who owns it, then try again.' },
  {
    sign: /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONN|ENETUNREACH|ERR_SOCKET|CERT_/,
    step: 'The npm registry could not be reached: check the network (or `npm config get registry`), then try again.',
  },
  { sign: /ENOENT.*npm/, step: 'npm itself was not found: it comes with Node, from https://nodejs.org' },
]

// After some errors npm prints the manual of the command; the error itself is at the top.
const mostLines = 12

/**
 * The first lines of npm's output, and what to do about the error.
 * @param {string} output
 */
export function explain(output) {
  const lines = output.split('\n').filter((line) => !/^(npm error)?\s*(at .*)?$/.test(line))
  const known = steps.find(({ sign }) => sign.test(output))
  const step = known?.step ?? 'Try again; if it stays, delete the folder node_modules first.'
  return `${lines.slice(0, mostLines).join('\n')}\n\nThe packages could not be installed. ${step}`
}
