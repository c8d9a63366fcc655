// Loaded into the functions of a fault test: says to every service which process asks.
process.env.AWS_SDK_UA_APP_ID = `${process.env.AWS_LAMBDA_FUNCTION_NAME}_${process.pid}`.slice(-50);
