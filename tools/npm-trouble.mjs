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

/**
 * What to do about what npm said.
 * @param {string} output
 */
export function nextStepAfter(output) {
  const known = steps.find(({ sign }) => sign.test(output))
  return known?.step ?? 'Try again; if it stays, delete the folder node_modules first.'
}
