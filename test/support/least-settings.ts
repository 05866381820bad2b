/** The minimum that an admin must set to install the bot to any number of workspaces. */
export const leastSettings = {
  PUBLIC_URL: 'https://bot.example.com',
  SLACK_SIGNING_SECRET: 'signing-secret',
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  SERVICE_BASE_URL: 'https://service.example.com/v1',
  SERVICE_AUTH_URL: 'https://auth.example.com',
  SERVICE_CLIENT_ID: 'app',
  SERVICE_CLIENT_SECRET: 'app-secret',
};
