/**
 * Commands of a shell that register, sign in, deploy an ERC-20 and mint it. @param invite as it stands in the JSON of
 * the shell's text
 */
export function firstMint(url: string, invite: string): string {
  return `API=${url}
curl -s $API/v1/auth/register -H 'Content-Type: application/json' \\
  -d '{"email":"alice@example.com","password":"correct horse battery","inviteCode":"${invite}"}'; echo
TOKEN=$(curl -s $API/auth/signin -H 'Content-Type: application/json' \\
  -d '{"email":"alice@example.com","password":"correct horse battery"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
ADDRESS=$(curl -s $API/tokens -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"type":"ERC20","name":"Alice Coin","symbol":"ALC"}' | sed 's/.*"address":"\\([^"]*\\)".*/\\1/')
curl -s $API/tokens/$ADDRESS/mint -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"owner":"0x3440326f551B8A7ee198cEE35cb5D517f2d296a2","amount":"1000000000000000000"}'; echo`;
}
