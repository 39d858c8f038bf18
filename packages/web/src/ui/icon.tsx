import { memo } from 'react'
import css from './icon.module.css'

/** Paths on a grid of 24 by 24, with a stroke of 1.75. */
const drawn = {
  archive: 'M4 8h16v11H4zM3 4h18v4H3zM10 12h4',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zm0 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  attach:
    'M20 11.5l-8.4 8.4a5 5 0 0 1-7.1-7.1l8.5-8.4a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.4a1.7 1.7 0 0 1-2.4-2.4l7.8-7.7',
  back: 'M15 5l-7 7 7 7',
  bell: 'M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7zM10 20a2 2 0 0 0 4 0',
  'bell-off':
    'M4 4l16 16M8.5 4.2A6 6 0 0 1 18 9c0 2.5.4 4.2.8 5.3M6.2 8C6 15 4 16 4 16h12M10 20a2 2 0 0 0 4 0',
  branch: 'M7 4v16M7 20a2 2 0 1 0 0-.1M7 4a2 2 0 1 0 0 .1M17 7a2 2 0 1 0 0 .1M17 9c0 5-10 3-10 8',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  'chevron-down': 'M6 9l6 6 6-6',
  'chevron-right': 'M9 6l6 6-6 6',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6L6 18',
  cloud: 'M7 18a4 4 0 0 1-.5-8 5.5 5.5 0 0 1 10.7-.8A4.5 4.5 0 0 1 17 18z',
  commit: 'M12 15.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 12h5.500M15.5 12H21',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  download: 'M12 4v11M7 10.500l5 5 5-5M4 20h16',
  down: 'M12 5v14M6 13l6 6 6-6',
  edit: 'M4 20l1-4L16.5 4.500a2 2 0 0 1 3 3L8 19zM14 7l3 3',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  flag: 'M5 21V4h13l-3 4.5 3 4.500H5',
  folder: 'M3 6h6l2 2h10v11H3z',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.500h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01',
  key: 'M14 10a5 5 0 1 0-1.5 3.500L14 12h2l1.5-1.500L19 12l2-2-1-1h-6',
  keyboard: 'M3 7h18v10H3zM7 10.500h.01M10.3 10.500h.01M13.7 10.500h.01M17 10.500h.01M8 14h8',
  laptop: 'M5 5h14v10H5zM2 19h20',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.2 4.2 0 0 0 6 6l1-1',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  move: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  pause: 'M8 5v14M16 5v14',
  phone: 'M7 3h10v18H7zM11 18h2',
  play: 'M7 5l12 7-12 7z',
  plus: 'M12 5v14M5 12h14',
  question:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.500a2.5 2.5 0 1 1 3.7 2.200c-.8.5-1.2 1-1.2 1.800M12 16.500h.01',
  refresh: 'M20 5v5h-5M4 19v-5h5M19.5 10A8 8 0 0 0 5.5 7M4.5 14a8 8 0 0 0 14 3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  send: 'M12 20V5M5.5 11.500L12 5l6.5 6.5',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  'sign-out': 'M10 4H5v16h5M9.5 12H20M16 8l4 4-4 4',
  sleep: 'M5 6h7l-7 8h7M14 13h5l-5 6h5',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M5.3 18.700l1.4-1.400M17.3 6.700l1.4-1.4',
  terminal: 'M4 5h16v14H4zM7.5 9l3 3-3 3M12.5 15H16',
  thought:
    'M9 18h6M10 21h4M12 3a6.5 6.5 0 0 0-4 11.600c.7.6 1 1 1 1.900h6c0-.9.3-1.3 1-1.900A6.5 6.5 0 0 0 12 3z',
  tool: 'M14.5 6.500a4 4 0 0 1 5-1.300L17 7.700l.5 2 2 .5 2.3-2.400a4.5 4.5 0 0 1-6 5.600L8.5 20.500a2 2 0 0 1-3-3l7.2-7.200a4.3 4.3 0 0 1 1.8-3.800z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  undo: 'M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3',
  warning: 'M12 4L2.5 20h19zM12 10v4.500M12 17.500h.01',
} as const

export type IconName = keyof typeof drawn

/** An icon beside text. For an icon alone use `IconButton`, which has a name. */
export const Icon = memo(function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className={css.icon} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={drawn[name]} />
    </svg>
  )
})
