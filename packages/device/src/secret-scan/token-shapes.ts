/** A token format; `starts` are fixed parts of it, for a cheap first search. */
export type TokenShape = { kind: string; starts: readonly string[]; shape: RegExp }

/**
 * Token formats that are designed to be recognizable. No unbounded repetition may stand before a required part: on a
 * long line the search would take quadratic time.
 */
export const tokenShapes: readonly TokenShape[] = [
  {
    kind: 'a private key',
    starts: ['PRIVATE KEY'],
    // Source code that parses keys contains the header, but no key after it.
    shape:
      /-----BEGIN (?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|["'+,\s]){1,40}[A-Za-z0-9+/]{30}/,
  },
  { kind: 'an AWS access key', starts: ['AKIA', 'ASIA'], shape: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  {
    kind: 'a GitHub token',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    shape: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9]{20,40}_[A-Za-z0-9]{50,255}\b/,
  },
  { kind: 'a GitLab token', starts: ['glpat-'], shape: /\bglpat-[A-Za-z0-9_-]{20}/ },
  {
    kind: 'a Slack token',
    starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xapp-'],
    shape: /\b(?:xox[abprs]-\d{8,20}-[A-Za-z0-9-]{20}|xapp-\d-[A-Z0-9]{8,20}-\d{8,20}-[a-f0-9]{40})/,
  },
  {
    kind: 'a Slack webhook',
    starts: ['hooks.slack.com'],
    shape: /hooks\.slack\.com\/services\/T[A-Z0-9]{8,20}\/B[A-Z0-9]{8,20}\/[A-Za-z0-9]{20}/,
  },
  { kind: 'a Google API key', starts: ['AIza'], shape: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/ },
  { kind: 'a Google client secret', starts: ['GOCSPX-'], shape: /\bGOCSPX-[A-Za-z0-9_-]{28}/ },
  { kind: 'a Stripe key', starts: ['k_live_'], shape: /\b[sr]k_live_[0-9a-zA-Z]{24}/ },
  { kind: 'an Anthropic API key', starts: ['sk-ant-'], shape: /\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{60}/ },
  {
    kind: 'an OpenAI API key',
    starts: ['sk-proj-', 'sk-svcacct-', 'T3BlbkFJ'],
    shape: /\bsk-(?:(?:proj|svcacct)-[A-Za-z0-9_-]{40}|[A-Za-z0-9_-]{16,160}T3BlbkFJ[A-Za-z0-9_-]{16})/,
  },
  { kind: 'an npm token', starts: ['npm_'], shape: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { kind: 'a PyPI token', starts: ['pypi-AgEI'], shape: /\bpypi-AgEI[A-Za-z0-9_-]{50}/ },
  { kind: 'a SendGrid key', starts: ['SG.'], shape: /\bSG\.[\w-]{22}\.[\w-]{43}\b/ },
  { kind: 'a DigitalOcean token', starts: ['_v1_'], shape: /\bdo[opr]_v1_[a-f0-9]{64}\b/ },
  { kind: 'a Hugging Face token', starts: ['hf_'], shape: /\bhf_[A-Za-z]{34}\b/ },
  { kind: 'a Telegram bot token', starts: [':AA'], shape: /\b\d{8,10}:AA[\w-]{33}(?![\w-])/ },
  { kind: 'an Azure storage key', starts: ['AccountKey='], shape: /AccountKey=[A-Za-z0-9+/]{80}/ },
  {
    kind: 'credentials of a package registry',
    starts: ['_authToken', '_password', '_auth'],
    shape: /^\s*(?:\/\/\S{1,500}:)?_(?:authToken|password|auth)\s*=\s*(?!\$\{)["']?[A-Za-z0-9+/=_.-]{8}/,
  },
]
