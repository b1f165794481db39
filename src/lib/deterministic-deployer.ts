/** The canonical deterministic deployer, with its code: on most public chains, and put on the embedded one. */
export const DETERMINISTIC_DEPLOYER = {
  address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const;
