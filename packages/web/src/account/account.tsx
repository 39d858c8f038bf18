import css from './account.module.css'
import { BoundDevices } from './bound-devices.tsx'
import { PasswordPart } from './password-part.tsx'
import { RequestsPart } from './requests-part.tsx'
import { TokensPart } from './tokens-part.tsx'

/** The user's computers, requests, password and tokens at this hub. */
export function Account() {
  return (
    <div className={css.parts}>
      <BoundDevices />
      <RequestsPart />
      <PasswordPart />
      <TokensPart />
    </div>
  )
}
