/** Thrown if Slack does not say who a person is. Nobody's rights can be decided without that, but another try may succeed. */
export class PersonUnknown extends Error {
  override readonly name = 'PersonUnknown';
}
